import { useQueryClient } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import {
  type BackupMode,
  type BackupReport,
  bundleOf,
  type FoundBundle,
  NO_BUNDLE,
  planRestore,
  type RestoreInput,
  restoreBackup,
} from './backup.ts';

/** The result of a dry run, with the input it belongs to. */
export interface RestorePlan {
  readonly input: RestoreInput;
  readonly report: BackupReport;
}

export interface RestoreOutcome {
  readonly mode: BackupMode;
  readonly report: BackupReport;
}

interface Typed {
  readonly mode: BackupMode;
  readonly passphrase: string;
}

/** The steps of a restore: choose a bundle, dry run, restore. The last step clears the passphrase. */
export function createRestore() {
  const [found, setFound] = createSignal<FoundBundle>(NO_BUNDLE);
  const [typed, update] = createStore<Typed>({ mode: 'merge', passphrase: '' });
  const steps = createSteps(() => {
    setFound(NO_BUNDLE);
    update({ passphrase: '' });
  });
  return {
    ...steps,
    found,
    typed,
    choose(text: string) {
      steps.begin();
      setFound(bundleOf(text));
    },
    change(part: Partial<Typed>) {
      steps.begin();
      update(part);
    },
    async look() {
      const chosen = found();
      if (chosen.kind !== 'bundle' || typed.passphrase === '') return;
      await steps.plan({ bundle: chosen.bundle, passphrase: typed.passphrase, mode: typed.mode });
    },
  };
}

/** The dry run and the restore. */
function createSteps(forget: () => void) {
  const { client } = useApp();
  const queries = useQueryClient();
  const planning = createAttempt();
  const restoring = createAttempt();
  const [planned, setPlanned] = createSignal<RestorePlan>();
  const [outcome, setOutcome] = createSignal<RestoreOutcome>();
  let begun = 0;

  /** Discards the results of earlier input. */
  function begin(): void {
    begun += 1;
    planning.forget();
    restoring.forget();
    setPlanned(undefined);
    setOutcome(undefined);
  }

  async function act({ input }: RestorePlan): Promise<void> {
    const report = await restoreBackup(client, input);
    begin();
    forget();
    setOutcome({ mode: input.mode, report });
    await queries.invalidateQueries(); // everything may have changed, including the signed-in user
  }

  async function plan(input: RestoreInput): Promise<void> {
    begin();
    const number = begun;
    await planning.run(async () => {
      const report = await planRestore(client, input);
      if (number === begun) setPlanned({ input, report });
    });
  }

  async function restore(): Promise<void> {
    const present = planned();
    if (present) await restoring.run(() => act(present));
  }

  return {
    planning,
    restoring,
    planned,
    outcome,
    begin,
    plan,
    restore,
    is_wrong: () => isWrong(planning.error()),
  };
}

function isWrong(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'backup_passphrase';
}
