import { For } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { HopProtection } from '../../parts/protection/hop-protection.tsx';

interface Props {
  readonly handle: TerminalHandle;
  readonly onClose: () => void;
}

/** How the connection to each server on the way is protected. */
export function ConnectionDialog(props: Props) {
  const { t } = useApp();
  const hops = () => props.handle.connection();
  return (
    <Dialog title={t('connection_details')} onClose={props.onClose}>
      <div class="protection-list">
        <For each={hops()}>
          {(connection) => (
            <section class="protection-hop" aria-label={connection.hop}>
              <h3 class="protection-hop-name">
                <Name text={connection.hop} />
              </h3>
              <HopProtection connection={connection} />
            </section>
          )}
        </For>
      </div>
    </Dialog>
  );
}
