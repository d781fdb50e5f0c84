import { type Accessor, createSignal } from 'solid-js';

export interface Attempt {
  readonly busy: Accessor<boolean>;
  /** What the last one was refused with. */
  readonly error: Accessor<unknown>;
  /** Whether it went well; one at a time. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  forget(): void;
}

/** Something that a person asks for and that the gateway may refuse. */
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
        setError(refusal);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
