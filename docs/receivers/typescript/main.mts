// Reads requests from standard input, a JSON object a line: {"secret", "headers", "body"}; writes an answer a line.

import { createInterface } from "node:readline";

import { receive } from "./receive.mts";

const seen = new Set<string>();
const remember = (id: string) => !seen.has(id) && seen.add(id) !== undefined;

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  console.log(receive(secret, headers, body, remember));
}
