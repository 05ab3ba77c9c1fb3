/** The page at /docs: Swagger UI over our own description. A client like any other; its key is kept nowhere. */
import SwaggerUIBundle, { type Plugin } from "swagger-ui-dist/swagger-ui-bundle.js";

/** What of it would keep somebody out: a list of one server without a name, and links inside of buttons. */
const forEverybody: Plugin = {
  components: {
    ServersContainer: () => null,
    DeepLink: ({ text }: { text: unknown }) => text,
  },
};

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  filter: true,
  // A badge of somebody else's host, otherwise.
  validatorUrl: null,
  plugins: [forEverybody],
});
