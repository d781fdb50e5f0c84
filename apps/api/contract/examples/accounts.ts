import { AT, LATER } from './times.ts';

const user = {
  id: 7,
  username: 'ada',
  is_admin: false,
  must_change_password: false,
  totp_enabled: true,
  allowed_groups: ['web'],
  source: 'local',
  disabled: false,
  is_default_admin: false,
  created_at: AT,
};
const key = {
  id: 3,
  name: 'Deployment',
  key_prefix: 'sp_example',
  scopes: ['read', 'files'],
  expires_at: LATER,
};
const login = { access_token: 'eyJ…', token_type: 'bearer', requires_2fa: false };
const recovery_codes = ['7f3k-29xq', 'm4td-8wpz']; // ten in truth

export const ACCOUNTS = {
  Login: { username: 'ada', password: 'correct horse battery staple' },
  LoginResult: login,
  StepUpInput: { password: 'correct horse battery staple', totp_code: '123456' },
  Fresh: { fresh_until: LATER },
  User: user,
  PasswordChange: {
    current_password: 'correct horse battery staple',
    new_password: 'purple monkey dishwasher',
  },
  Ticket: { ticket: 'Zm9vYmFy', expires_in: 30 },
  TotpState: { enabled: true, recovery_codes_left: 9 },
  TotpSetup: {
    secret: 'JBSWY3DPEHPK3PXP',
    qr_uri: 'otpauth://totp/Sallyport:ada?secret=JBSWY3DPEHPK3PXP&issuer=Sallyport',
  },
  TotpVerified: login,
  RecoveryCodes: { enabled: true, recovery_codes },
  CodeInput: { code: '123456' },
  WebSession: {
    id: 'c2Vzc2lvbg',
    created_at: AT,
    last_seen_at: LATER,
    ip_address: '203.0.113.7',
    user_agent: 'Mozilla/5.0',
    current: true,
    embed: null,
  },
  ApiKey: { ...key, last_used_at: AT, created_at: AT },
  CreatedApiKey: { ...key, key: 'sp_example-of-a-key' },
  NewApiKey: { name: 'Deployment', scopes: ['read', 'files'], expires_at: LATER },
  EmbedSetup: {
    allowed_origins: ['https://portal.example'],
    frame_ancestors: ['https://portal.example'],
    integrity: 'sha384-…',
  },
  EmbedTicketInput: { server_id: 1, kind: 'terminal', mode: 'rw' },
  EmbedExchange: { ticket: 'Zm9vYmFy' },
  EmbedSession: {
    access_token: 'eyJ…',
    token_type: 'bearer',
    expires_in: 900,
    ends_at: LATER,
    kind: 'terminal',
    mode: 'rw',
    username: 'ada',
    server: { id: 1, name: 'web-1', sftp_read_only: false, sftp_allowed_paths: [] },
  },
  NewUser: { username: 'ada', password: 'correct horse battery staple', allowed_groups: ['web'] },
  UserPatch: { disabled: true },
  GroupsInput: { allowed_groups: ['web', 'database'] },
  PasswordReset: { password: 'purple monkey dishwasher', must_change_password: true },
};
