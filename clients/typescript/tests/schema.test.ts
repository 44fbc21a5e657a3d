/** The types are those of docs/openapi.json, and everything here fits them. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";

const GENERATED = new URL("../src/schema.ts", import.meta.url);
/** A member with a default need not be sent; an object of anything has anything in it. */
const OPTIONS = { alphabetize: true, defaultNonNullable: false, emptyObjectsUnknown: true };

test("src/schema.ts is what docs/openapi.json makes", async () => {
  const made = await openapiTS(new URL("../../../docs/openapi.json", import.meta.url), OPTIONS);
  const text = `// Made from docs/openapi.json: AFC_WRITE_SCHEMA=1 cargo xtask test schema --part engine\n\n${astToString(made)}`;
  if (process.env["AFC_WRITE_SCHEMA"]) await writeFile(GENERATED, text);
  const found = await readFile(GENERATED, "utf8").catch(() => "");
  assert.ok(found === text, "run AFC_WRITE_SCHEMA=1 cargo xtask test schema --part engine");
});

test("the client, its examples and its tests fit the types", async () => {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const failed = await promisify(execFile)(process.execPath, [tsc, "--project", "tsconfig.json"], { cwd }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
  assert.equal(failed, "");
});
