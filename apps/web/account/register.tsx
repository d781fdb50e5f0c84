import { useApp } from '../app/context.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { loadable } from '../parts/loadable.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import { ACCOUNT_SECTIONS } from '../workspace/screens/sections.ts';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { PasswordForm } from './password-form.tsx';
import { preferenceCommands } from './preference-commands.ts';

declare module '../workspace/windows.ts' {
  interface Windows {
    password: unknown;
  }
}

export const accountFeature: Feature = {
  windows: { password: { View: ChangePassword } },
  screens: { account: loadable(async () => (await import('./account-view.tsx')).AccountView) },
  createCommands: createAccountCommands,
};

function ChangePassword(props: Closable) {
  const { t } = useApp();
  return (
    <Dialog
      title={t('change_password')}
      description={t('change_password_note')}
      onClose={props.onClose}
      sticky
    >
      <PasswordForm
        forced={false}
        onDone={props.onClose}
        onCancel={props.onClose}
        cancel_label={t('cancel')}
      />
    </Dialog>
  );
}

function createAccountCommands(): FeatureCommands {
  const app = useApp();
  const { t } = app;
  const { goTo, signOut } = useWorkspace();
  const why = useReadOnlyReason();
  const createKey = () => ({
    title: t('create_key'),
    hint: t('api_keys'),
    also: t('palette_create'),
    run: () => goTo('/account/api-keys?new=1'),
  });
  return {
    page: () => [
      ...ACCOUNT_SECTIONS.map(({ id, label }) => ({
        title: t(label),
        hint: t('account'),
        also: t.optional(`also_${label}`),
        run: () => goTo(`/account/${id}`),
      })),
      { title: t('sign_out'), hint: t('action'), also: t('also_sign_out'), run: signOut },
    ],
    create: () => (why() === undefined ? [createKey()] : []),
    preference: () => preferenceCommands(app),
  };
}
