import { CONNECTION } from './connection.ts';
import { AT, LATER } from './times.ts';

const recording = {
  id: 12,
  server_id: 1,
  server_name: 'web-1',
  username: 'ada',
  started_at: AT,
  ended_at: LATER,
  duration_s: 3600,
  size_bytes: 48210,
  file_path: '2026/11/02/12.cast',
  status: 'finished',
};
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const snippet = { name: 'Disk usage', command: 'df -h {path}', description: 'Free space', shared: true };
const step = {
  id: 'call_1',
  tool: 'read_file',
  arguments: { path: '/etc/hosts' },
  ok: true,
  summary: '12 lines',
};

export const TERMINALS = {
  TerminalClientFrame: { type: 'resize', cols: 120, rows: 40 },
  TerminalQuickOpenFrame: {
    type: 'open',
    host: 'web-1.example',
    username: 'deploy',
    password: 'correct horse battery staple',
    cols: 80,
    rows: 24,
  },
  TerminalGatewayFrame: {
    type: 'session',
    session_id: 'c2Vzc2lvbg',
    offset: 0,
    server: 'web-1',
    recording: true,
    cols: 80,
    rows: 24,
    resume_s: 120,
    connection: [CONNECTION],
  },
  TerminalParticipant: { id: '1', username: 'ada', role: 'owner', mode: 'rw', typing: false, you: true },
  TerminalSession: {
    id: 'c2Vzc2lvbg',
    server_id: 1,
    server_name: 'web-1',
    username: 'ada',
    started_at: AT,
    last_activity: LATER,
    participants: 2,
    recording: true,
    own: true,
  },
  ShareInput: { mode: 'ro', expires_in: 3600 },
  Share: { token: 'c2hhcmU', mode: 'ro', server: 'web-1', participants: 2, expires_at: LATER },
  Recording: recording,
  RecordingSearch: { text: 'permission denied', server_id: 1, from: AT },
  RecordingSearchEvent: {
    type: 'found',
    recording,
    matches: [{ at_s: 12.5, line: 'rm: permission denied' }],
  },
  RecordingVerdict: {
    ok: true,
    reason: null,
    sha256,
    expected_sha256: sha256,
    size_bytes: 48210,
    audit_entry_id: 815,
  },
  SnippetInput: { ...snippet, confirm: false },
  SnippetPatch: { description: 'Free space of a file system' },
  Snippet: { id: 5, ...snippet, confirm: false, owned: true, created_at: AT },
  AgentQuestion: { message: 'Why does nginx not start?' },
  AgentStep: step,
  AgentMessage: {
    id: 21,
    role: 'assistant',
    content: 'Port 80 is in use.',
    context: '',
    steps: [step],
    state: 'done',
    error: null,
    created_at: AT,
  },
  AgentChat: { messages: [] },
  AgentStatus: { enabled: true, reason: null, provider: 'ollama', model: 'qwen3' },
};
