import type { ErrorCode } from "../../src/core/errors.ts";
import type { Row } from "./bad-input-rows.ts";
import { ACCOUNTS, KEYS } from "./rig.ts";

const LEVERAGE = { market: "BTC", leverage: 5, margin_type: "cross" };
const MARGIN = { market: "BTC", amount: "10" };
const TWAP = { market: "BTC", side: "buy", size: "1", duration_minutes: 30 };
const NO_ORDER = "/v1/orders/999999/modify";
const NOBODY = "5c0d8a52-6f0e-4f3b-9c55-000000000000";

function write(path: string, body: unknown, code: ErrorCode): Row {
  const what = `POST ${path} ${JSON.stringify(body)}`;
  return { what, request: { path, apiKey: KEYS.both, idempotencyKey: "bad-action-0001", body }, code };
}

/** A body in which one number is spelled as given. */
function spelled(path: string, body: Record<string, unknown>, field: string, source: string): Row {
  const text = JSON.stringify({ ...body, [field]: "SPELLED" }).replace('"SPELLED"', source);
  return write(path, text, "invalid_parameter");
}

function read(path: string, code: ErrorCode): Row {
  return { what: `GET ${path}`, request: { path, apiKey: KEYS.both }, code };
}

function withoutAKey(path: string, body: unknown): Row {
  return {
    what: `${path} without Idempotency-Key`,
    request: { path, apiKey: KEYS.both, body },
    code: "idempotency_key_required",
  };
}

const NOT_WHOLE = ["0.5", "5.5", '"5"', "null", "true", "-1", "9007199254740992", "9007199254740993", "1e400", "5e-1"];

export const ACTION_ROWS: readonly Row[] = [
  withoutAKey("/v1/leverage", LEVERAGE),
  withoutAKey("/v1/margin", MARGIN),
  withoutAKey("/v1/twaps", TWAP),
  withoutAKey("/v1/twaps/cancel", { market: "BTC", twap_id: 1 }),
  withoutAKey(NO_ORDER, { price: "1" }),

  ...["0", ...NOT_WHOLE].map((source) => spelled("/v1/leverage", LEVERAGE, "leverage", source)),
  write("/v1/leverage", { ...LEVERAGE, margin_type: "portfolio" }, "invalid_parameter"),
  write("/v1/leverage", { ...LEVERAGE, account: ACCOUNTS.main }, "unknown_parameter"),
  write("/v1/leverage", { market: "BTC", leverage: 5 }, "missing_parameter"),
  write("/v1/leverage", { ...LEVERAGE, market: "PURR/USDC" }, "perpetual_market_required"),
  write("/v1/leverage", { ...LEVERAGE, market: "NOPE" }, "unknown_market"),

  ...[
    "0",
    "-0",
    "0.000000",
    "-0.00",
    "0.0000001",
    "1.2345678",
    "+1",
    "01",
    "1e3",
    "",
    "1234567890123",
    "--1",
    ".5",
  ].map((amount) => write("/v1/margin", { ...MARGIN, amount }, "invalid_parameter")),
  write("/v1/margin", { ...MARGIN, amount: 10 }, "invalid_parameter"),
  write("/v1/margin", { ...MARGIN, side: "buy" }, "unknown_parameter"),
  write("/v1/margin", { ...MARGIN, market: "PURR/USDC" }, "perpetual_market_required"),

  ...["4", "10081", ...NOT_WHOLE].map((source) => spelled("/v1/twaps", TWAP, "duration_minutes", source)),
  ...["0", "0.0", "01", "-1", "1e3"].map((size) => write("/v1/twaps", { ...TWAP, size }, "invalid_parameter")),
  write("/v1/twaps", { ...TWAP, randomize: "no" }, "invalid_parameter"),
  write("/v1/twaps", { ...TWAP, builder: "x" }, "unknown_parameter"),
  write("/v1/twaps", { ...TWAP, market: "PURR/USDC" }, "perpetual_market_required"),

  ...NOT_WHOLE.map((source) => spelled("/v1/twaps/cancel", { market: "BTC", twap_id: 1 }, "twap_id", source)),
  write("/v1/twaps/cancel", { market: "BTC" }, "missing_parameter"),
  write("/v1/twaps/cancel", { market: "NOPE", twap_id: 1 }, "unknown_market"),

  write(NO_ORDER, {}, "nothing_to_modify"),
  write(NO_ORDER, { always_place: true }, "nothing_to_modify"),
  write(NO_ORDER, { trigger: { price: "1", kind: "stop_loss", market: true } }, "always_place_required"),
  ...["0", "0.0", "01", "-1"].flatMap((bad) => [
    write(NO_ORDER, { price: bad }, "invalid_parameter"),
    write(NO_ORDER, { size: bad }, "invalid_parameter"),
    write(
      NO_ORDER,
      { always_place: true, trigger: { price: bad, kind: "stop_loss", market: true } },
      "invalid_parameter",
    ),
  ]),
  write(NO_ORDER, { price: "1", side: "sell" }, "unknown_parameter"),
  write(NO_ORDER, { price: "1" }, "order_not_found"),
  write("/v1/orders/abc/modify", { price: "1" }, "invalid_id"),
  write(`/v1/orders/${NOBODY}/modify`, { price: "1" }, "order_not_found"),

  ...["1000", "abc", `0x${"0".repeat(32)}`].map((id) => read(`/v1/operations/${id}`, "invalid_id")),
  read(`/v1/operations/${NOBODY}`, "operation_not_found"),
  read(`/v1/operations?cursor=${NOBODY}`, "invalid_cursor"),
  read("/v1/operations?limit=0", "invalid_limit"),
  read("/v1/operations?status=open", "invalid_status"),
  read("/v1/operations?action=order", "invalid_parameter"),
  read("/v1/operations?dex=xyz", "unknown_parameter"),
  read("/v1/orders/abc/story", "invalid_id"),
  read(`/v1/orders/${NOBODY}/story`, "order_not_found"),
  read(`/v1/orders/${NOBODY}/story?limit=1`, "unknown_parameter"),
  read("/v1/twaps?limit=501", "invalid_limit"),
  read("/v1/twaps?cursor=-1", "invalid_cursor"),
  read("/v1/twaps?status=open", "invalid_status"),
  read("/v1/twaps?action=order", "unknown_parameter"),
  read("/v1/status?account=1", "unknown_parameter"),
  read("/v1/positions?dex=abc", "unknown_dex"),
  read("/v1/positions?limit=501", "invalid_limit"),
  read("/v1/positions?market=BTC", "unknown_parameter"),
  read("/v1/fills?limit=0", "invalid_limit"),
  read("/v1/fills?cursor=abc", "invalid_cursor"),
  read("/v1/fills?dex=xyz", "unknown_parameter"),
  read("/v1/account?dex=xyz", "unknown_parameter"),
];
