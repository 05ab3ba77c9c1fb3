/** As much of it as we use; the package describes nothing of itself. */
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  /** Components that stand in for its own of the same name. */
  export type Plugin = { components: Readonly<Record<string, (properties: never) => unknown>> };
  type Settings = {
    url: string;
    dom_id: string;
    deepLinking: boolean;
    filter: boolean;
    /** Null: nobody is asked whether the description is valid. */
    validatorUrl: string | null;
    plugins: readonly Plugin[];
  };
  export default function SwaggerUIBundle(settings: Settings): void;
}
