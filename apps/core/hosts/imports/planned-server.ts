import type { ServerInput } from '../../model/hosts/server.ts';

/** The jump host of an imported server: in the same import, or already registered. */
export type Jump =
  | { readonly kind: 'file'; readonly index: number }
  | { readonly kind: 'registry'; readonly id: number }
  | undefined;

export interface PlannedServer {
  readonly input: ServerInput;
  readonly jump: Jump;
}
