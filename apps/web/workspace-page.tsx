import { accountFeature } from './account/register.tsx';
import { adminFeature } from './admin/register.ts';
import { agentFeature } from './agent/register.tsx';
import { editorFeature } from './editor/register.ts';
import { filesFeature } from './files/register.ts';
import { helpFeature } from './help/register.ts';
import { quickConnectFeature } from './quick-connect/register.ts';
import { recordingsFeature } from './recordings/register.ts';
import { serversFeature } from './servers/register.tsx';
import { shellFeature } from './shell/register.tsx';
import { WorkspaceView } from './shell/workspace-view.tsx';
import { snippetsFeature } from './snippets/register.tsx';
import { terminalFeature } from './terminal/register.tsx';
import { transfersFeature } from './transfers/register.tsx';
import { type Feature, FeaturesProvider } from './workspace/features.ts';

/** In the order in which the palette, the menus of tabs and the status line show what they add. */
const FEATURES: readonly Feature[] = [
  terminalFeature,
  agentFeature,
  quickConnectFeature,
  adminFeature,
  serversFeature,
  shellFeature,
  accountFeature,
  snippetsFeature,
  filesFeature,
  editorFeature,
  recordingsFeature,
  transfersFeature,
  helpFeature,
];

/** The page after sign-in, with all features. */
export function WorkspacePage(props: { user_id: number }) {
  return (
    <FeaturesProvider value={FEATURES}>
      <WorkspaceView user_id={props.user_id} />
    </FeaturesProvider>
  );
}
