import { createEffect, Match, Switch } from 'solid-js';
import { ForcedChange } from './account/sign-in/forced-change.tsx';
import { SignIn } from './account/sign-in/sign-in.tsx';
import { useApp } from './app/context.ts';
import { followBranding } from './branding/branding.ts';
import { endStaticFrame } from './lib/static-frame.ts';
import { loadable } from './parts/loadable.tsx';
import { Trouble } from './parts/trouble.tsx';
import { Waiting } from './parts/waiting.tsx';

const WorkspacePage = loadable(async () => (await import('./workspace-page.tsx')).WorkspacePage);

/** Fetches the workspace while the gateway is asked who this is; if it fails, the workspace is fetched again when it is shown. */
export function prefetchWorkspace(): void {
  WorkspacePage.prefetch().catch(() => undefined);
}

/** Shows the sign-in, a required password change, or the workspace. */
export function AppGate() {
  const { place, session, t } = useApp();
  const branding = followBranding();
  createEffect(() => {
    if (!session.signed_in() && !place.is_guest) document.title = `${t('sign_in')} · ${branding().app_name}`;
  });
  const is_workspace = () => session.user() !== undefined && !session.user()?.must_change_password;
  createEffect(() => {
    if (!session.signed_in() || session.error() || (session.user() && !is_workspace())) endStaticFrame();
  });
  return (
    <Switch fallback={<Waiting />}>
      <Match when={!session.signed_in()}>
        <SignIn />
      </Match>
      <Match when={session.user()?.must_change_password}>
        <ForcedChange />
      </Match>
      <Match when={session.user()?.id} keyed>
        {(user_id) => <WorkspacePage user_id={user_id} />}
      </Match>
      <Match when={session.error()}>
        {(error) => (
          <main class="splash">
            <Trouble title={t('start_failed', { name: branding().app_name })} error={error()}>
              <button type="button" class="button" onClick={() => session.verify()}>
                {t('try_again')}
              </button>
            </Trouble>
          </main>
        )}
      </Match>
    </Switch>
  );
}
