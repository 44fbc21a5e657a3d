// What the runtime finds: handlers and classes from Rust, and the Workflow class that carries Rust's decisions.
import { defineWorkflow } from "../workflow/js/loop.mjs";
import { GenerationLogic, StyleRunLogic } from "./build/index.js";

export { default, ExecutorContainer } from "./build/index.js";
export const GenerationWorkflow = defineWorkflow(GenerationLogic);
export const StyleRunWorkflow = defineWorkflow(StyleRunLogic);
