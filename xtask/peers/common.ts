/** What both peers share: the request's shape, hashes, the answer. */

import { z } from "zod";

export interface Env {
  DB: { connectionString: string };
  GENERATION: { createBatch(batch: { id: string; params: object }[]): Promise<unknown> };
}

export const request = z.strictObject({
  kind: z.enum(["image", "video"]),
  input: z.strictObject({
    prompt: z.string().min(1).max(10_000),
    duration_seconds: z.number().int().min(1).max(600).optional(),
    aspect_ratio: z.string().optional(),
  }),
  chain: z.array(z.strictObject({ provider: z.string(), model: z.string(), attempts: z.number().int().optional() })).min(1).max(8),
  project: z.string().max(64).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});

export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Over the body with its members in order. */
export function requestHash(body: z.infer<typeof request>): Promise<Uint8Array> {
  return sha256(JSON.stringify(ordered(body)));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

export interface Job {
  id: string;
  kind: string;
  status: string;
  spec: unknown;
  metadata: unknown;
  project: string | null;
  created_at: Date;
  deadline_at: Date;
}

export function shown({ id, kind, status, spec, metadata, project, created_at, deadline_at }: Job): Record<string, unknown> {
  return { id, object: "generation", kind, status, ...(spec as object), metadata, project, created_at, deadline_at };
}
