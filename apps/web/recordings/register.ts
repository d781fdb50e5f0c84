import { useApp } from '../app/context.ts';
import { loadable } from '../parts/loadable.tsx';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import type { PaneProps } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { recordingSearchPath } from './search/address.ts';

export const recordingsFeature: Feature = {
  views: { recording: loadable<PaneProps>(async () => (await import('./recording-view.tsx')).RecordingView) },
  createCommands: createRecordingCommands,
};

function createRecordingCommands(): FeatureCommands {
  const { session, t } = useApp();
  const { goTo } = useWorkspace();
  return {
    searches(text) {
      const path = recordingSearchPath(text, session.user()?.is_admin === true);
      if (path === undefined) return [];
      return [{ title: t('search_recordings_for', { text }), hint: t('recordings'), run: () => goTo(path) }];
    },
  };
}
