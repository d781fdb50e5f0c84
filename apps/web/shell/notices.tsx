import X from 'lucide-solid/icons/x';
import { createSignal, type ParentProps, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { nameOf } from '../lib/paths.ts';
import { Said } from '../parts/name.tsx';
import { useStatusWatch } from '../servers/status/status.ts';
import { labelOf } from '../workspace/tabs/tabs.ts';
import { UNDO_MS } from '../workspace/tabs/undo.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import './notices.css';

/** Offers to undo what has just happened to the tabs, below them, and says what is under way. */
export function Notices() {
  return (
    <div class="notices">
      <GoneNotice />
      <ClosedNotice />
      <ComparedNotice />
      <RefusedNotice />
    </div>
  );
}

/** A file waits for the one to compare it with. */
function ComparedNotice() {
  const { t } = useApp();
  const { compared, setCompared } = useWorkspace();
  return (
    <div role="status">
      <Show when={compared()}>
        {(place) => (
          <Notice onDismiss={() => setCompared(undefined)}>
            <p>
              <Said text={t('compare_chosen', { name: nameOf(place().path) })} />
            </p>
          </Notice>
        )}
      </Show>
    </div>
  );
}

/** The user wants notifications, and the browser does not allow them. */
function RefusedNotice() {
  const { t } = useApp();
  const { notifier } = useWorkspace();
  return (
    <div role="status">
      <Show when={notifier.is_refused()}>
        <Notice onDismiss={notifier.dismissRefusal}>
          <p>{t('notifications_refused')}</p>
        </Notice>
      </Show>
    </div>
  );
}

/** Running shells of closed tabs end after a while. */
function ClosedNotice() {
  const { t } = useApp();
  const { tabs, wishFocus } = useWorkspace();
  const text = () => {
    const closed = tabs.closed();
    if (!closed) return '';
    const [only] = closed.tabs;
    const values = { count: closed.tabs.length, shells: closed.shells, seconds: UNDO_MS / 1000 };
    if (closed.tabs.length === 1 && only) return t('closed_one', { ...values, name: labelOf(only, [only]) });
    return t(closed.shells > 0 ? 'closed_several' : 'closed_several_idle', values);
  };
  function undo(): void {
    tabs.undoClose();
    wishFocus();
  }
  return (
    <div role="status">
      <Show when={tabs.closed()}>
        <Notice onDismiss={tabs.dismissClosed}>
          <p>
            <Said text={text()} />
          </p>
          <button type="button" class="button" onClick={undo}>
            {t('undo')}
          </button>
        </Notice>
      </Show>
    </div>
  );
}

/** After a restart of the gateway, one button reopens all terminals that ended with it. */
function GoneNotice() {
  const { t } = useApp();
  const { tabs, statuses, wishFocus } = useWorkspace();
  const { is_lost } = useStatusWatch();
  const [dismissed, setDismissed] = createSignal<ReadonlySet<string>>(new Set());
  const gone = () =>
    tabs.list.filter(({ id }) => statuses[id]?.is_gone && statuses[id]?.openAgain && !dismissed().has(id));
  function reopen(): void {
    for (const { id } of gone()) statuses[id]?.openAgain?.();
    wishFocus();
  }
  return (
    <div role="status">
      <Show when={gone().length > 1 && !is_lost()}>
        <Notice onDismiss={() => setDismissed(new Set(gone().map(({ id }) => id)))}>
          <p>{t('gone_text', { count: gone().length })}</p>
          <button type="button" class="button button-primary" onClick={reopen}>
            {t('gone_reopen')}
          </button>
        </Notice>
      </Show>
    </div>
  );
}

function Notice(props: ParentProps<{ onDismiss: () => void }>) {
  const { t } = useApp();
  return (
    <div class="notice">
      {props.children}
      <button
        type="button"
        class="icon-button icon-button-small"
        aria-label={t('dismiss')}
        title={t('dismiss')}
        onClick={() => props.onDismiss()}
      >
        <X size={15} aria-hidden="true" />
      </button>
    </div>
  );
}
