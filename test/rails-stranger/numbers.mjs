// Numbers as the exchange writes them.
export const D = (x) => {
  const s = Number(x).toFixed(8).replace(/0+$/, "").replace(/\.$/, "");
  return s.includes(".") ? s : `${s}.0`;
};
export const P = (x) => {
  const s = Number(x).toFixed(8).replace(/0+$/, "").replace(/\.$/, "");
  return s === "-0" ? "0" : s;
};
export const r8 = (x) => Math.round(x * 1e8) / 1e8;
export const EPS = 1e-9;
