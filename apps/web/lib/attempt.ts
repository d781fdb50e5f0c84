import { type Accessor, createSignal } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';

export interface Attempt {
  readonly busy: Accessor<boolean>;
  /** The error of the last run. */
  readonly error: Accessor<unknown>;
  /** Resolves to whether the work succeeded; refuses to run while busy. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  forget(): void;
}

/** State of a user action that the gateway may refuse. */
export function createAttempt(): Attempt {
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>();
  return {
    busy,
    error,
    forget: () => setError(undefined),
    async run(work) {
      if (busy()) return false;
      setBusy(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (refusal) {
        if (!isDeclined(refusal)) setError(refusal);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

/** The user was asked for the password and canceled, so there is nothing to tell. */
function isDeclined(refusal: unknown): boolean {
  return refusal instanceof ClientError && refusal.code === 'step_up_required';
}
