import type { UserRow } from '../../model/accounts/user.ts';

/** What somebody sends to show who they are. */
export type Proof = PasswordProof;

export interface PasswordProof {
  readonly kind: 'password';
  readonly username: string;
  readonly password: string;
  /** Six digits or a recovery code. */
  readonly totp_code?: string | undefined;
}

type Kind = Proof['kind'];

/** What each kind of proof means: a new kind does not compile before every place has decided. */
type Cases<T> = { readonly [K in Kind]: (proof: Extract<Proof, { kind: K }>) => T };

export function byProof<T>(proof: Proof, cases: Cases<T>): T {
  switch (proof.kind) {
    case 'password':
      return cases.password(proof);
  }
}

/** Whether the account's second factor must be proven beside it. */
export function needsSecondFactor(proof: Proof, user: UserRow): boolean {
  return byProof(proof, { password: () => user.totp_enabled });
}
