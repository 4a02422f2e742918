/**
 * What one transaction of the ledger has, on a database that several gateways may share: a batch, whatever accounts its operations concern, or
 * the operations of one account, of which so many are committed side by side (docs/adr/0075).
 */
export type Transactions = { readonly of: "batch" } | { readonly of: "account"; readonly side_by_side: number };
