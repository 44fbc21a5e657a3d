// The consumer as it is deployed, with the test in the place of the queue: a request brings a batch, the answer says how
// each message was settled. One request is one invocation, as one batch is.
//
// There is a real queue beside it: `send` puts a body on it, `shown` says what it has handed out.
import Consumer from "../../build/index.js";

const shown = [];

export default {
  async queue(batch, env, ctx) {
    for (const { id, attempts } of batch.messages) shown.push({ queue: batch.queue, id, attempts });
    await new Consumer(ctx, env).queue(batch);
  },

  async fetch(request, env, ctx) {
    const { queue, messages, send } = await request.json();
    if (send) await env.QUEUE.send(send);
    if (!messages) return Response.json(shown);
    const told = new Map();
    const batch = {
      queue,
      messages: messages.map(({ id, attempts, body }) => ({
        id,
        attempts,
        body,
        ack: () => told.set(id, "ack"),
        retry: ({ delaySeconds }) => told.set(id, { delaySeconds }),
      })),
    };
    await new Consumer(ctx, env).queue(batch);
    return Response.json(Object.fromEntries(told));
  },
};
