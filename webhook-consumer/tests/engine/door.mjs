// The consumer as it is deployed, with the test in the place of the queue: a request brings a batch, the answer says how
// each message was settled. One request is one invocation, as one batch is.
import Consumer from "../../build/index.js";

export default {
  async fetch(request, env, ctx) {
    const { queue, messages } = await request.json();
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
