import type { TextKey } from '../../i18n/languages.ts';
import type { Notifier } from '../../lib/notifier.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';

/** Turns “Notify when it finishes” on or off, in the tab's menu and the palette. */
export function finishAction(
  { awaits_finish, setAwaitsFinish }: Pick<TerminalHandle, 'awaits_finish' | 'setAwaitsFinish'>,
  notifier: Notifier,
): { readonly label: TextKey; run(): void } {
  if (awaits_finish()) return { label: 'finish_notify_not', run: () => setAwaitsFinish(false) };
  return {
    label: 'finish_notify',
    run() {
      setAwaitsFinish(true);
      void notifier.ask();
    },
  };
}
