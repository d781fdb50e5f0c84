import { loadable } from '../parts/loadable.tsx';
import type { Feature } from '../workspace/features.ts';
import type { PaneProps } from '../workspace/tabs/tabs.ts';

export const recordingsFeature: Feature = {
  views: { recording: loadable<PaneProps>(async () => (await import('./recording-view.tsx')).RecordingView) },
};
