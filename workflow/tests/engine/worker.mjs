// A worker whose workflow does what its parameters say, with plain JavaScript in the place of the Rust logic.
import { defineWorkflow } from "../../js/loop.mjs";
import trapModule from "./trap.wasm"; // (module (func (export "trap") unreachable))

/** How often each activity was performed, by its key. */
const performed = new Map();

/** Stands in for a Rust class made by wasm-bindgen. The parameters are `{plan: [command, …]}`. */
class Scripted {
  #used = false;

  constructor(env) {
    if (!env.SCRIPTED) throw new Error("constructed without the environment");
  }

  next(eventJson, historyJson) {
    this.#use();
    const event = JSON.parse(eventJson);
    const history = JSON.parse(historyJson);
    const command = event.payload.plan[history.length];
    if (command?.op === "trap") trap();
    return JSON.stringify(command ?? { op: "done", output: { event, history } });
  }

  async perform(activityJson, attempt) {
    this.#use();
    const { key, kind, until = Infinity, ms, outcome } = JSON.parse(activityJson);
    performed.set(key, (performed.get(key) ?? 0) + 1);
    if (attempt > until) return JSON.stringify({ ok: { attempt } });
    if (kind === "throw") throw new RangeError("thrown by the glue");
    if (kind === "sleep") await scheduler.wait(ms);
    if (kind === "trap") return neverAsAfterAPanic();
    return JSON.stringify(outcome);
  }

  /** After a panic an object of the old wasm instance is dead, so each call must come to a fresh one. */
  #use() {
    if (this.#used) throw new Error("used twice");
    this.#used = true;
  }
}

function trap() {
  new WebAssembly.Instance(trapModule).exports.trap();
}

/** Rust futures are driven by microtasks: a panic is an uncaught error of one, and the promise never settles. */
function neverAsAfterAPanic() {
  queueMicrotask(trap);
  return new Promise(() => {});
}

export const ScriptedWorkflow = defineWorkflow(Scripted);

export default {
  fetch(request) {
    return Response.json(performed.get(new URL(request.url).searchParams.get("key")) ?? 0);
  },
};
