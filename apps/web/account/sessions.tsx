import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { endWebSession, sessionsQuery } from './account.ts';
import { type Ending, SessionTable } from './session-table.tsx';

export function AccountSessions() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const sessions = useQuery(() => sessionsQuery(client));
  const [ending, setEnding] = createSignal<Ending>();
  const refresh = () => queries.invalidateQueries({ queryKey: sessionsQuery(client).queryKey });

  async function end({ session }: Ending): Promise<void> {
    try {
      await endWebSession(client, session);
    } finally {
      await refresh(); // it may have ended already
    }
  }

  return (
    <section class="section section-wide" aria-labelledby="sessions-title">
      <SectionTitle id="sessions-title" text={t('sessions')} />
      <p class="section-lead">{t('sessions_lead')}</p>
      <ReadOnlyNote />
      <QueryState query={sessions} failure={t('sessions_failed')}>
        {(known) => (
          <>
            <SessionTable sessions={known()} onEnd={setEnding} />
            <EndMany others={known().length - 1} onEnded={refresh} />
          </>
        )}
      </QueryState>
      <Show when={ending()}>
        {(asked) => (
          <Confirm
            title={t('end_session_title')}
            text={t('end_session_text', { name: asked().name, address: asked().session.ip_address })}
            action={t('end_session')}
            failure={t('session_not_ended')}
            danger
            onConfirm={() => end(asked())}
            onClose={() => setEnding(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

function EndMany(props: { others: number; onEnded: () => Promise<unknown> }) {
  const { client, session, t } = useApp();
  const [asking, setAsking] = createSignal<'others' | 'all'>();
  async function endOthers(): Promise<void> {
    await client.http.DELETE('/api/auth/sessions', { params: { query: { keep_current: 'true' } } });
    await props.onEnded();
  }
  const why = useReadOnlyReason();
  const whyNotOthers = () => why() ?? (props.others < 1 ? t('no_other_sessions') : undefined);
  const is_all = () => asking() === 'all';
  const question = () =>
    is_all()
      ? t('sign_out_everywhere_text', { count: props.others + 1 })
      : t('end_other_sessions_text', { count: props.others });
  return (
    <>
      <div class="actions fit">
        <ReasonButton why={whyNotOthers()} onPress={() => setAsking('others')}>
          {t('end_other_sessions')}
        </ReasonButton>
        <ReasonButton why={why()} onPress={() => setAsking('all')}>
          {t('sign_out_everywhere')}
        </ReasonButton>
      </div>
      <Show when={asking()}>
        <Confirm
          title={t(is_all() ? 'sign_out_everywhere_title' : 'end_other_sessions_title')}
          text={question()}
          action={t(is_all() ? 'sign_out_everywhere' : 'end_other_sessions')}
          failure={t('sessions_not_ended')}
          danger
          onConfirm={() => (is_all() ? session.signOutEverywhere() : endOthers())}
          onClose={() => setAsking(undefined)}
        />
      </Show>
    </>
  );
}
