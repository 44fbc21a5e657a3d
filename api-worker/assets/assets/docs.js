// The API reference. No validator badge: it would send the address of this page to another host.
SwaggerUIBundle({
  dom_id: "#reference",
  url: "/openapi.json",
  deepLinking: true,
  validatorUrl: null,
});
