/** An answer before it is an HTTP response or a websocket frame, with the very texts of the exchange. */
import { jsonText } from "./exchange/json-text.ts";

export type HttpAnswer = { readonly status: number; readonly contentType: string; readonly body: string };

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";

export function jsonAnswer(value: unknown): HttpAnswer {
  return { status: 200, contentType: JSON_TYPE, body: jsonText(value) };
}

export const NOT_JSON: HttpAnswer = {
  status: 400,
  contentType: TEXT_TYPE,
  body: "Failed to parse the request body as JSON",
};
export const WRONG_CONTENT_TYPE: HttpAnswer = {
  status: 415,
  contentType: TEXT_TYPE,
  body: "Expected request with `Content-Type: application/json`",
};
export const WRONG_SCHEMA: HttpAnswer = {
  status: 422,
  contentType: TEXT_TYPE,
  body: "Failed to deserialize the JSON body into the target type",
};
export const TOO_MANY: HttpAnswer = { status: 429, contentType: JSON_TYPE, body: "null" };
export const SERVER_ERROR: HttpAnswer = { status: 500, contentType: JSON_TYPE, body: "null" };
export const NOT_FOUND: HttpAnswer = { status: 404, contentType: TEXT_TYPE, body: "" };
export const WRONG_METHOD: HttpAnswer = { status: 405, contentType: TEXT_TYPE, body: "" };
export const TOO_LARGE: HttpAnswer = { status: 413, contentType: TEXT_TYPE, body: "length limit exceeded" };

const BY_STATUS: Readonly<Record<number, HttpAnswer>> = {
  400: NOT_JSON,
  415: WRONG_CONTENT_TYPE,
  422: WRONG_SCHEMA,
  429: TOO_MANY,
  500: SERVER_ERROR,
};

export function answerOfStatus(status: number): HttpAnswer {
  return BY_STATUS[status] ?? SERVER_ERROR;
}

const GATEWAY_WORDS: Readonly<Record<number, string>> = {
  502: "502 Bad Gateway",
  503: "503 Service Temporarily Unavailable",
  504: "504 Gateway Time-out",
};

/** The page of the web server in front of the exchange. No recording of one exists; this is its stock page. */
export function gatewayPage(status: number): HttpAnswer {
  const words = GATEWAY_WORDS[status] ?? "502 Bad Gateway";
  const body = [
    "<html>",
    `<head><title>${words}</title></head>`,
    "<body>",
    `<center><h1>${words}</h1></center>`,
    "<hr><center>nginx/1.26.2</center>",
    "</body>",
    "</html>",
    "",
  ].join("\r\n");
  return { status, contentType: "text/html", body };
}
