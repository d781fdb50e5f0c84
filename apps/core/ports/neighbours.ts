/** What answers at the address of another instance. */
export type Neighbour =
  | { readonly kind: 'run'; readonly run_digest: string }
  /** Nobody listens there. */
  | { readonly kind: 'refused' }
  /** No answer in time, or not one of an instance. */
  | { readonly kind: 'silent' };

export interface Neighbours {
  /** Sends no credentials. */
  look(url: string): Promise<Neighbour>;
  /** Sends a signed question; undefined without an answer within two seconds. */
  ask(url: string, signed: string): Promise<string | undefined>;
}
