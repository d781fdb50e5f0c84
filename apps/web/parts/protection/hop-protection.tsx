import ChevronRight from 'lucide-solid/icons/chevron-right';
import ShieldCheck from 'lucide-solid/icons/shield-check';
import ShieldMinus from 'lucide-solid/icons/shield-minus';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Fact, Facts } from '../table/drawer.tsx';
import { type HopConnection, whyNotPostQuantum } from './key-exchange.ts';
import './hop-protection.css';

interface Props {
  readonly connection: HopConnection;
}

/** How the connection to one server is protected. */
export function HopProtection(props: Props) {
  return (
    <div class="protection">
      <Verdict connection={props.connection} />
      <ProtectionFacts connection={props.connection} />
    </div>
  );
}

/** The same with the facts folded away. */
export function FoldedHopProtection(props: Props) {
  return (
    <details class="protection protection-folded">
      <summary>
        <Verdict connection={props.connection} />
        <ChevronRight class="protection-mark" size={16} aria-hidden="true" />
      </summary>
      <ProtectionFacts connection={props.connection} />
    </details>
  );
}

function Verdict(props: Props) {
  const { t } = useApp();
  const reason = () => whyNotPostQuantum(props.connection);
  return (
    <span class="protection-verdict">
      <Show
        when={props.connection.is_post_quantum}
        fallback={<ShieldMinus class="tone-idle" size={17} aria-hidden="true" />}
      >
        <ShieldCheck class="good" size={17} aria-hidden="true" />
      </Show>
      <span>
        {t(props.connection.is_post_quantum ? 'post_quantum_exchange' : 'no_post_quantum_exchange')}
        <Show when={reason()}>
          {(found) => <span class="protection-reason">{t(found().key, found().values)}</span>}
        </Show>
      </span>
    </span>
  );
}

function ProtectionFacts(props: Props) {
  const { t } = useApp();
  return (
    <Facts>
      <Fact label={t('key_exchange')}>
        <code>{props.connection.key_exchange}</code>
      </Fact>
      <Fact label={t('cipher')}>
        <code>{props.connection.cipher}</code>
      </Fact>
      <Fact label={t('host_key_type')}>
        <code>{props.connection.host_key_type}</code>
      </Fact>
      <Fact label={t('host_software')}>{props.connection.server_version}</Fact>
    </Facts>
  );
}
