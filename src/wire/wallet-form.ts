/** Typed data as it is handed to a wallet; without a library, because the page hands it over as well. */

export type TypedField = { name: string; type: "string" | "address" | "bytes32" | "uint64" | "uint256" };

export type TypedDomain = { name: string; version: string; chainId?: number; verifyingContract?: string };

export type TypedData = {
  domain: TypedDomain;
  types: { readonly [primaryType: string]: readonly TypedField[] };
  primaryType: string;
  message: { readonly [field: string]: string | number };
};

const DOMAIN_FIELDS: readonly TypedField[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** The type of a domain: absent members are left out of it, as EIP-712 asks. */
export function domainFields(domain: object): readonly TypedField[] {
  return DOMAIN_FIELDS.filter(({ name }) => name in domain);
}

/** Typed data of whoever: what a wallet is handed, it reads itself. */
export type WalletData = { domain: object; types: object; primaryType: string; message: object };

/** The form that `eth_signTypedData_v4` and wallets' "sign typed data" boxes take: with the domain's own type. */
export function walletForm<Data extends WalletData>(data: Data) {
  return { ...data, types: { EIP712Domain: domainFields(data.domain), ...data.types } };
}
