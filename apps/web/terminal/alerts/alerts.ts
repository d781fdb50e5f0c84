import { createEffect, on, onCleanup } from 'solid-js';
import type { NewsFrame } from '#client/terminal/events.ts';
import type { App } from '../../app/context.ts';
import type { Notice } from '../../lib/notifier.ts';
import { labelOf, type Tab } from '../../workspace/tabs/tabs.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { TerminalState } from '../shell-link.ts';
import { createFinishWatch, type Finish, type FinishWatch, QUIET_MS } from './finish-watch.ts';
import { createMessageReader, MESSAGE_OSCS, type ProgramMessage, presentMessage } from './messages.ts';
import { createOutputScan } from './output-scan.ts';
import { createRateLimit } from './rate-limit.ts';
import { createReplay } from './replay.ts';

const COMMAND_OSCS = [133, 633];
const MOST_MESSAGES = 20; // in one piece of output: reading more would take time and show no more
const ECHO_MS = 500; // the echo of the last key, or a program that redraws because it lost the focus

interface Options {
  readonly app: App;
  readonly workspace: Workspace;
  readonly tab: Tab;
}

/** Marks the tab of a terminal, and notifies, when something happens in it out of sight. */
export interface Alerts {
  begin(frame: NewsFrame): void;
  /** Output as it arrives. */
  receive(bytes: Uint8Array): void;
  readonly finish: FinishWatch;
}

export function createAlerts({ app, workspace, tab }: Options): Alerts {
  const { marks } = workspace;
  const isSeen = () => marks.isSeen(tab.id);
  const notify = createNotices({ workspace, tab });
  const finish = createFinishWatch((how) => {
    if (isSeen() && document.hasFocus()) return;
    marks.mark(tab.id, 'bell');
    notify({ title: '', body: finishText(how, app) }, 'finish');
  });
  const readMessage = createMessageReader();
  const messages = createRateLimit<ProgramMessage>((newest, count) => {
    const more = count > 1 ? ` ${app.t('message_more', { count: count - 1 })}` : '';
    notify(newest, 'message', more);
  });
  function tell(message: ProgramMessage): void {
    const rule = app.preferences.values.program_notifications;
    if (rule === 'none' || isSeen()) return;
    marks.mark(tab.id, 'bell');
    if (rule === 'notify') messages.offer(message);
  }
  let message_count = 0;
  const scan = createOutputScan(new Set([...MESSAGE_OSCS, ...COMMAND_OSCS]), {
    bell() {
      marks.mark(tab.id, 'bell');
      if (app.preferences.values.notify_bell && !isSeen()) {
        messages.offer({ title: '', body: app.t('bell_rang') });
      }
    },
    osc(number, data) {
      if (COMMAND_OSCS.includes(number)) finish.told(data);
      else if (message_count++ < MOST_MESSAGES) {
        const message = readMessage(number, data);
        if (message) tell(message);
      }
    },
  });
  const replay = createReplay(scan.reset);
  let left_at = 0;
  createEffect(() => {
    if (!isSeen()) left_at = performance.now();
    messages.clear();
  });
  onCleanup(messages.clear);
  return {
    begin: replay.begin,
    receive(bytes) {
      message_count = 0;
      if (!scan.read(replay.newIn(bytes))) return;
      finish.printed();
      if (performance.now() - left_at > ECHO_MS) marks.mark(tab.id, 'output');
    },
    finish,
  };
}

/** Marks the tab when its terminal ends by itself. */
export function followEnd({ workspace, tab }: Options, state: () => TerminalState, { finish }: Alerts): void {
  createEffect(
    on(state, (now) => {
      if (now.kind !== 'over') return;
      const { kind } = now.ending;
      if (kind !== 'given_up' && kind !== 'taken_over') workspace.marks.mark(tab.id, 'ended');
      finish.ended();
    }),
  );
}

function finishText(how: Finish, { t }: App): string {
  if (how.kind === 'ended') return t('finish_ended');
  if (how.kind === 'quiet') return t('finish_quiet', { seconds: QUIET_MS / 1000 });
  return how.code ? t('finish_code', { code: how.code }) : t('finish_command');
}

/** A click on the notification leads to the tab. */
function createNotices({ workspace, tab }: Omit<Options, 'app'>) {
  const { tabs, notifier, wishFocus } = workspace;
  const onClick = () => {
    tabs.activate(tab.id);
    wishFocus();
  };
  return (message: ProgramMessage, kind: 'finish' | 'message', more = '') => {
    const label = labelOf(tab, tabs.list);
    const { title, body } = presentMessage(label, message);
    const notice: Notice = { title, body: `${body}${more}`, tag: `sallyport-${kind}-${tab.id}`, onClick };
    notifier.show(notice);
  };
}
