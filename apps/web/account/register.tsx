import { useApp } from '../app/context.ts';
import { loadable } from '../parts/loadable.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import { ACCOUNT_SECTIONS } from '../workspace/screens/sections.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { preferenceCommands } from './preference-commands.ts';

export const accountFeature: Feature = {
  screens: { account: loadable(async () => (await import('./account-view.tsx')).AccountView) },
  createCommands: createAccountCommands,
};

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
