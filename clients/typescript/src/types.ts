import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

export type Attempt = Schemas["Attempt"];
export type DecisionRequest = Schemas["DecisionRequest"];
export type Endpoint = Schemas["Endpoint"];
export type EndpointChange = Schemas["EndpointChange"];
export type EndpointRequest = Schemas["EndpointRequest"];
export type Estimate = Schemas["Estimate"];
export type Generation = Schemas["Generation"];
export type GenerationRequest = Schemas["GenerationRequest"];
export type Input = Schemas["Input"];
export type NewEndpoint = Schemas["NewEndpoint"];
export type Problem = Schemas["Problem"];
export type RotatedSecret = Schemas["RotatedSecret"];
export type Spend = Schemas["Spend"];
export type StyleRun = Schemas["StyleRun"];
export type StyleRunRequest = Schemas["StyleRunRequest"];
export type TestDelivery = Schemas["TestDelivery"];

/** Which generations to list; all must hold. `limit` is the size of a page; all pages are read. */
export type GenerationFilter = Omit<
  NonNullable<operations["get_generations"]["parameters"]["query"]>,
  "cursor" | "metadata"
> & { metadata?: Record<string, string> };

/** Which spend to tell; `group_by` has commas between its words. */
export type SpendQuery = NonNullable<operations["get_spend"]["parameters"]["query"]>;
