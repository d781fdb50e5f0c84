import { createSignal } from 'solid-js';

/** An action on selected rows: one request after the other. */
export interface BulkAction<T> {
  readonly id: string;
  readonly label: string;
  readonly danger?: boolean;
  /** Asks before it begins, for so many rows. */
  readonly question: (count: number) => string;
  readonly text?: string;
  /** A value that all rows get, such as a tag. */
  readonly field?: BulkField;
  /** Why this row is left out; undefined if it is not. */
  readonly skips?: (row: T) => string | undefined;
  /** Resolves to what is said about the row, if it is a text. */
  readonly run: (row: T, value: string) => Promise<unknown>;
  readonly after?: () => unknown;
}

export interface BulkField {
  readonly label: string;
  readonly hint?: string;
  readonly known?: readonly string[];
  readonly is_optional?: boolean;
  /** Why this value cannot be taken; undefined if it can. */
  readonly refuses?: (value: string) => string | undefined;
}

export type Outcome =
  | { readonly kind: 'done'; readonly said: string | undefined }
  | { readonly kind: 'skipped'; readonly said: string }
  | { readonly kind: 'failed'; readonly error: unknown };

export type BulkRun<T> = ReturnType<typeof createBulkRun<T>>;

/** Runs an action row by row; a failed row does not keep the others from their turn. */
export function createBulkRun<T>(action: Pick<BulkAction<T>, 'run' | 'skips' | 'after'>, rows: readonly T[]) {
  const [outcomes, setOutcomes] = createSignal<readonly Outcome[]>([]);
  const [state, setState] = createSignal<'asking' | 'running' | 'stopped' | 'done'>('asking');

  async function outcomeOf(row: T, value: string): Promise<Outcome> {
    const why = action.skips?.(row);
    if (why !== undefined) return { kind: 'skipped', said: why };
    try {
      const said = await action.run(row, value);
      return { kind: 'done', said: typeof said === 'string' ? said : undefined };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  return {
    rows,
    outcomes,
    state,
    failed: () => outcomes().filter(({ kind }) => kind === 'failed').length,
    async start(value: string): Promise<void> {
      setState('running');
      for (const row of rows) {
        if (state() !== 'running') break;
        const outcome = await outcomeOf(row, value);
        setOutcomes((known) => [...known, outcome]);
      }
      setState('done');
      await action.after?.();
    },
    /** The request under way still ends. */
    stop: () => setState((before) => (before === 'running' ? 'stopped' : before)),
  };
}
