/** The create endpoint as TypeScript services usually have it: hono, zod, drizzle over postgres.js, a client a request. */

import { and, eq, isNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { bigint, customType, integer, jsonb, pgTable, smallint, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { Hono } from "hono";
import postgres from "postgres";
import { request, requestHash, sha256, shown, type Env } from "./common.ts";

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const keys = pgTable("client_keys", {
  clientId: uuid("client_id").notNull(),
  hash: bytes("hash").notNull(),
  revokedAt: timestamp("revoked_at", { withTimezone: true }),
});
const jobs = pgTable("jobs", {
  id: uuid("id").primaryKey(),
  client_id: uuid("client_id").notNull(),
  idempotency_key: text("idempotency_key").notNull(),
  request_hash: bytes("request_hash").notNull(),
  hash_version: smallint("hash_version").notNull(),
  kind: text("kind").notNull(),
  spec: jsonb("spec").notNull(),
  metadata: jsonb("metadata").notNull(),
  project: text("project"),
  status: text("status").notNull().default("queued"),
  max_paid_calls: integer("max_paid_calls").notNull(),
  deadline_at: timestamp("deadline_at", { withTimezone: true }).notNull(),
  created_at: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});
const outbox = pgTable("outbox", {
  id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity(),
  kind: text("kind").notNull(),
  jobId: uuid("job_id").notNull(),
});

const app = new Hono<{ Bindings: Env }>();

app.post("/v1/generations", async (c) => {
  const key = c.req.header("idempotency-key");
  const token = c.req.header("authorization")?.replace("Bearer ", "");
  if (!key || !token) return c.json({ code: "INVALID_REQUEST" }, 400);
  const parsed = request.safeParse(await c.req.json());
  if (!parsed.success) return c.json({ code: "INVALID_REQUEST", errors: parsed.error.issues }, 400);
  const body = parsed.data;
  const sql = postgres(c.env.DB.connectionString, { max: 1, fetch_types: false, prepare: false });
  const db = drizzle(sql);
  try {
    const hash = await sha256(token);
    const [client] = await db.select({ id: keys.clientId }).from(keys).where(and(eq(keys.hash, hash), isNull(keys.revokedAt)));
    if (!client) return c.json({ code: "UNAUTHENTICATED" }, 401);
    const wanted = await requestHash(body);
    const { job, fresh } = await db.transaction(async (tx) => {
      const [made] = await tx
        .insert(jobs)
        .values({
          id: crypto.randomUUID(), client_id: client.id, idempotency_key: key, request_hash: wanted, hash_version: 1,
          kind: body.kind, spec: body, metadata: body.metadata ?? {}, project: body.project ?? null, max_paid_calls: 2,
          deadline_at: new Date(Date.now() + 3_600_000),
        })
        .onConflictDoNothing()
        .returning();
      if (made) {
        await tx.insert(outbox).values({ kind: "start_generation", jobId: made.id });
        return { job: made, fresh: true };
      }
      const [standing] = await tx.select().from(jobs).where(and(eq(jobs.client_id, client.id), eq(jobs.idempotency_key, key)));
      return { job: standing!, fresh: false };
    });
    if (job.request_hash.join() !== wanted.join()) return c.json({ code: "IDEMPOTENCY_CONFLICT" }, 409);
    await c.env.GENERATION.createBatch([{ id: job.id, params: {} }]);
    return c.json(shown(job), fresh ? 201 : 202);
  } finally {
    c.executionCtx.waitUntil(sql.end());
  }
});

export default app;
