/** The same endpoint tuned by hand: no framework, `pg`, everything in one statement. */

import { Client } from "pg";
import { request, requestHash, sha256, shown, type Env, type Job } from "./common.ts";

const CREATE = `
  with caller as (select client_id from client_keys where hash = $1 and revoked_at is null), fresh as (
    insert into jobs (id, client_id, idempotency_key, request_hash, hash_version, kind, spec, metadata, project,
      max_paid_calls, deadline_at)
    select $2, client_id, $3, $4, 1, $5, $6, $7, $8, 2, now() + interval '1 hour' from caller
    on conflict (client_id, idempotency_key) do nothing returning *
  ), wish as (insert into outbox (kind, job_id) select 'start_generation', id from fresh)
  select j.*, true as fresh from fresh j
  union all
  select j.*, false from jobs j join caller c using (client_id) where j.idempotency_key = $3`;

export default {
  async fetch(incoming: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    const key = incoming.headers.get("idempotency-key");
    const token = incoming.headers.get("authorization")?.replace("Bearer ", "");
    if (!key || !token) return Response.json({ code: "INVALID_REQUEST" }, { status: 400 });
    const parsed = request.safeParse(await incoming.json());
    if (!parsed.success) return Response.json({ code: "INVALID_REQUEST", errors: parsed.error.issues }, { status: 400 });
    const body = parsed.data;
    const [hash, wanted] = await Promise.all([sha256(token), requestHash(body)]);
    const client = new Client({ connectionString: env.DB.connectionString });
    try {
      await client.connect();
      const { rows } = await client.query<Job & { fresh: boolean; request_hash: Buffer }>(CREATE, [
        hash, crypto.randomUUID(), key, wanted, body.kind, body, body.metadata ?? {}, body.project ?? null,
      ]);
      const job = rows[0];
      if (!job) return Response.json({ code: "UNAUTHENTICATED" }, { status: 401 });
      if (!job.request_hash.equals(wanted)) return Response.json({ code: "IDEMPOTENCY_CONFLICT" }, { status: 409 });
      await env.GENERATION.createBatch([{ id: job.id, params: {} }]);
      return Response.json(shown(job), { status: job.fresh ? 201 : 202 });
    } finally {
      context.waitUntil(client.end());
    }
  },
};
