import { WorkerEntrypoint } from "cloudflare:workers";
export class Engine extends WorkerEntrypoint {
  createBatch(batch) { return batch.map(({ id }) => ({ id })); }
  get(id) { return { id }; }
}
export default {};
