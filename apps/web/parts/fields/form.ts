import { type Accessor, createSignal } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { createAttempt } from '../../lib/attempt.ts';
import { createFormErrors, type FormErrorOptions, type FormErrors } from './form-errors.ts';

interface Options<Draft extends object, Field extends string> extends FormErrorOptions<Field> {
  readonly initial: Draft;
  readonly send: (draft: Draft) => Promise<unknown>;
}

export interface Form<Draft extends object, Field extends string> extends FormErrors<Field> {
  readonly draft: Draft;
  /** Whether anything was changed. */
  readonly dirty: Accessor<boolean>;
  readonly busy: Accessor<boolean>;
  set(change: Partial<Draft>): void;
  /** Resolves to whether the draft was sent and accepted. */
  save(): Promise<boolean>;
}

/** The state of a form that is sent as a whole. */
export function createForm<Draft extends object, Field extends string>({
  initial,
  send,
  ...fields
}: Options<Draft, Field>): Form<Draft, Field> {
  const attempt = createAttempt();
  const [draft, update] = createStore<Draft>(initial);
  const [dirty, setDirty] = createSignal(false);
  return {
    draft,
    dirty,
    busy: attempt.busy,
    ...createFormErrors(attempt.error, fields),
    set(change) {
      setDirty(true);
      attempt.forget();
      update((old) => ({ ...old, ...change }));
    },
    save: () => attempt.run(() => send(unwrap(draft))),
  };
}
