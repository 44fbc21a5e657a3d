/**
 * Asks for a video under a key, waits for it, saves it. Run again, after a crash too, it is the same video: paid once.
 *
 * With the local stack (`cargo xtask dev` prints the address and the key):
 *
 *     AFC_URL=http://127.0.0.1:… AFC_KEY=afc_… node clients/typescript/examples/generate.ts
 */

import { writeFile } from "node:fs/promises";
import { Client, type GenerationRequest } from "../src/index.ts";

const { AFC_URL, AFC_KEY, AFC_WISH = "film-7/shot-42/take-3", AFC_FILE = "take-3.mp4" } = process.env;
if (!AFC_URL || !AFC_KEY) throw new Error("set AFC_URL and AFC_KEY");

const afc = new Client({ baseUrl: AFC_URL, key: AFC_KEY });
const request: GenerationRequest = {
  kind: "video",
  input: { prompt: `${AFC_WISH}: a lighthouse in fog, slow dolly in`, duration_seconds: 8 },
  chain: [
    { provider: "fal", model: "fal-ai/veo3.1" },
    { provider: "fal", model: "fal-ai/ltx-2/text-to-video/fast" },
  ],
  max_cost: "8.00",
  project: "film-7",
};

const made = await afc.createGeneration(request, AFC_WISH);
const ended = await afc.waitForGeneration(made.value.id, 600_000);
if (ended.status !== "succeeded") throw new Error(`${ended.id} ${ended.status}: ${ended.error?.message}`);
await writeFile(AFC_FILE, afc.download(ended.id));
console.log(JSON.stringify({ id: ended.id, replayed: made.replayed, priced: ended.cost.priced }));
