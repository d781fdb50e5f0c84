import { useWorkspace } from '../workspace/workspace.ts';
import type { Recording } from './recordings.ts';

/** Opens recordings in tabs, from the start or from a second of them. */
export function useRecordingTabs(): (recording: Recording, at_s?: number) => void {
  const { tabs } = useWorkspace();
  return ({ id, server_id, server_name }, at_s) =>
    tabs.open({
      ...{ kind: 'recording', server_id: server_id ?? 0, server_name, recording_id: id },
      ...(at_s === undefined ? {} : { at_s }),
    });
}
