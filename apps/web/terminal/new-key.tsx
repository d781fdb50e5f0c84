import { Show } from 'solid-js';
import type { Ending } from '#client/terminal/ending.ts';
import { AcceptQuickKeyButton } from '../quick-connect/accept-key.tsx';
import { AcceptKeyButton } from '../servers/host-keys/accept-key.tsx';
import { presentedKey } from '../servers/host-keys/presented.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';

interface Props {
  readonly tab: Tab;
  readonly refusal: Extract<Ending, { error: unknown }>['error'];
  readonly onAccepted: () => void;
}

/** What to do about a changed host key, for administrators and for quick connections. */
export function NewKey(props: Props) {
  const presented = () => presentedKey(props.refusal);
  const quick = () => (props.tab.aim?.kind === 'quick' ? props.tab.aim : undefined);
  return (
    <Show
      when={quick()}
      fallback={
        <AcceptKeyButton
          server_id={props.tab.server_id}
          hop={props.refusal.hop}
          presented={presented()}
          onAccepted={props.onAccepted}
        />
      }
    >
      {(aim) => (
        <AcceptQuickKeyButton
          host={aim().host}
          port={aim().port}
          presented={presented()}
          onAccepted={props.onAccepted}
        />
      )}
    </Show>
  );
}
