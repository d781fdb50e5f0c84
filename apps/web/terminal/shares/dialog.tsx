import { createEffect, createMemo, createSignal, on, onCleanup, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { formatInstant } from '../../lib/format.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { PeopleList } from './people.tsx';
import {
  endShare,
  FIRST_TERMS,
  linkOf,
  MAX_SHARE_MINUTES,
  openShare,
  SHARE_EXPIRIES,
  SHARE_MODES,
  type ShareTerms,
  shareInput,
  useShares,
} from './shares.ts';

const LOOK_MS = 5000; // how often expired shares are detected

interface Props {
  readonly handle: TerminalHandle;
  readonly onClose: () => void;
}

/** Creates, changes and revokes the link to a terminal, and lists its members. */
export function ShareDialog(props: Props) {
  const { client, t } = useApp();
  const sharing = createSharing(props.handle);
  const [asking, setAsking] = createSignal(false);
  const title = () => t('share_title', { name: props.handle.server_name() });
  return (
    <Dialog title={title()} description={t('share_text')} onClose={props.onClose}>
      <Show when={sharing.known()}>
        {(known) => <ShareLink link={linkOf(client, known().share)} expires_at={known().share.expires_at} />}
      </Show>
      <ShareForm sharing={sharing} />
      <Show when={props.handle.participants().length > 1}>
        <div>
          <p class="field-label">{t('share_people')}</p>
          <PeopleList people={props.handle.participants()} />
        </div>
      </Show>
      <Show when={sharing.known() || sharing.has_guests()}>
        <div class="actions fit">
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {t('share_revoke')}
          </button>
        </div>
      </Show>
      <Show when={asking()}>
        <Confirm
          title={t('share_revoke_title')}
          text={t('share_revoke_text')}
          action={t('share_revoke_now')}
          failure={t('share_revoke_failed')}
          danger
          onConfirm={sharing.revoke}
          onClose={() => setAsking(false)}
        />
      </Show>
    </Dialog>
  );
}

function createSharing(handle: TerminalHandle) {
  const { client } = useApp();
  const shares = useShares();
  const attempt = createAttempt();
  const now = createNow();
  const known = () => shares.of(handle.session_id(), now());
  const [terms, setTerms] = createSignal<ShareTerms>(known()?.terms ?? FIRST_TERMS);

  async function send(): Promise<void> {
    const session_id = handle.session_id();
    const body = shareInput(terms(), known(), new Date());
    if (session_id === undefined || !body) return;
    const asked = terms();
    await attempt.run(async () => {
      shares.keep(session_id, { share: await openShare(client, session_id, body), terms: asked });
    });
  }

  return {
    known,
    terms,
    error: attempt.error,
    busy: attempt.busy,
    send,
    is_possible: () => handle.session_id() !== undefined && shareInput(terms(), known(), now()) !== undefined,
    has_guests: () => handle.participants().some(({ role }) => role === 'guest'),
    /** An existing share is updated immediately; typed values when submitted. */
    change(part: Partial<ShareTerms>) {
      setTerms({ ...terms(), ...part });
      if (known() && part.minutes === undefined && terms().expiry !== 'custom') void send();
    },
    async revoke() {
      const session_id = handle.session_id();
      if (session_id === undefined) return;
      await endShare(client, session_id);
      shares.forget(session_id);
    },
  };
}

type Sharing = ReturnType<typeof createSharing>;

function createNow(): () => Date {
  const [now, setNow] = createSignal(new Date());
  const timer = setInterval(() => setNow(new Date()), LOOK_MS);
  onCleanup(() => clearInterval(timer));
  return now;
}

function ShareLink(props: { link: string; expires_at: string | null }) {
  const { preferences, t } = useApp();
  let place: HTMLDivElement | undefined;
  const focus = () => place?.querySelector('input')?.focus();
  const link = createMemo(() => props.link);
  createEffect(on(link, () => queueMicrotask(focus)));
  const end = () =>
    props.expires_at === null
      ? t('share_endless')
      : t('share_until', { time: formatInstant(props.expires_at, preferences.values.language) });
  return (
    <div ref={place}>
      <Secret label={t('share_link')} value={props.link} copy_label={t('share_copy')} />
      <p class="field-hint">{end()}</p>
    </div>
  );
}

function ShareForm(props: { sharing: Sharing }) {
  const { t } = useApp();
  const terms = () => props.sharing.terms();
  const modes = () => SHARE_MODES.map((value) => ({ value, label: t(`share_allow_${value}`) }));
  const expiries = () => SHARE_EXPIRIES.map((value) => ({ value, label: t(`share_expiry_${value}`) }));
  const is_custom = () => terms().expiry === 'custom';
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    void props.sharing.send();
  }
  return (
    <form class="dialog-form" onSubmit={submit}>
      <SelectField
        label={t('share_mode')}
        value={terms().mode}
        options={modes()}
        onChange={(mode) => props.sharing.change({ mode })}
      />
      <SelectField
        label={t('share_expiry')}
        value={terms().expiry}
        options={expiries()}
        onChange={(expiry) => props.sharing.change({ expiry })}
      />
      <Show when={is_custom()}>
        <Field
          label={t('share_minutes')}
          value={terms().minutes}
          onChange={(minutes) => props.sharing.change({ minutes })}
          error={props.sharing.is_possible() ? undefined : t('share_minutes_wrong')}
          input={{ type: 'number', min: 1, max: MAX_SHARE_MINUTES, inputmode: 'numeric' }}
        />
      </Show>
      <Show when={props.sharing.error()}>
        <Trouble title={t('share_failed')} error={props.sharing.error()} compact />
      </Show>
      <Show when={!props.sharing.known() || is_custom()}>
        <div class="actions">
          <button
            type="submit"
            class="button button-primary"
            disabled={!props.sharing.is_possible()}
            aria-disabled={props.sharing.busy()}
          >
            {t(props.sharing.known() ? 'share_apply' : 'share_create')}
          </button>
        </div>
      </Show>
    </form>
  );
}
