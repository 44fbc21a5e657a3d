// Carries the decisions of a workflow's logic to the engine, and outcomes back. It decides nothing itself.
//
// `Logic` is a class made by wasm-bindgen: `new Logic(env)`, `next(event, history) -> command` and
// `async perform(activity, attempt) -> outcome`, all JSON text. It is constructed anew for every call, because after a
// panic the wasm instance is replaced and objects of the old one are dead.
import { WorkflowEntrypoint } from "cloudflare:workers";

export function defineWorkflow(Logic) {
  return class extends WorkflowEntrypoint {
    async run(event, step) {
      const eventJson = JSON.stringify(event);
      const history = [];
      for (;;) {
        const command = JSON.parse(decide(new Logic(this.env), eventJson, JSON.stringify(history)));
        const { op, name } = command;
        if (op === "done") return command.output;
        if (op === "fail") throw toError(command.failure);
        try {
          history.push({ op, name, ok: (await carryOut(command, step, Logic, this.env)) ?? null });
        } catch (error) {
          // The engine stops this run, to pause it or to move it: not an outcome of the step.
          if (/^Aborting engine/.test(error?.message)) throw error;
          history.push({ op, name, err: toFailure(error) });
        }
      }
    }
  };
}

async function carryOut(command, step, Logic, env) {
  const { op, name, ms } = command;
  if (op === "sleep") return step.sleep(name, ms);
  if (op === "wait") return (await step.waitForEvent(name, { type: command.event, timeout: ms })).payload;
  const result = await step.do(name, command.config, async ({ attempt }) => {
    const performed = new Logic(env).perform(JSON.stringify(command.activity), attempt);
    const { ok, err } = JSON.parse(await orTrap(performed));
    if (err?.name === "NonRetryableError") return { [FAILURE]: err };
    if (err) throw toError(err);
    return ok;
  });
  if (result?.[FAILURE]) throw toError(result[FAILURE]);
  return result;
}

// A non-retryable failure is given to the engine as the step's result, and not thrown as its NonRetryableError: that
// one wrangler's engine does not keep, so that after a restart of the engine the step would be performed again.
const FAILURE = "workflow:failure";

// A panic of the wasm instance surfaces as an uncaught error, and no promise of that instance settles ever after: not
// the panicking call's, nor any other's. So that their steps are retried at once, and not when they time out, they
// are rejected here.
const inFlight = new Set();
addEventListener("error", ({ error }) => trapped(error));

function trapped(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  for (const reject of inFlight) reject(toError({ name: "WasmTrapError", message: `wasm trapped: ${error.message}` }));
  inFlight.clear();
}

function orTrap(promise) {
  return new Promise((resolve, reject) => {
    inFlight.add(reject);
    promise.then(resolve, reject).finally(() => inFlight.delete(reject));
  });
}

function decide(logic, event, history) {
  try {
    return logic.next(event, history);
  } catch (error) {
    trapped(error);
    throw error;
  }
}

function toError({ name, message }) {
  return Object.assign(new Error(message), { name });
}

// Where errors cross a border that keeps no names, the name is folded into the message.
function toFailure(error) {
  const folded = error?.name === "Error" && /^(\w*Error): ([^]*)$/.exec(error.message);
  if (folded) return { name: folded[1], message: folded[2] };
  return { name: error?.name ?? "Error", message: error?.message ?? String(error) };
}
