import { measureEventStreams } from './measures/scale/event-streams.ts';
import { withFleet } from './measures/scale/fleet.ts';
import { measureLists } from './measures/scale/lists.ts';
import { measureRelays } from './measures/scale/relays.ts';
import { measureTerminals } from './measures/scale/terminals.ts';
import { report } from './report.ts';

/** What instances that share one PostgreSQL can carry. */
const rows = await withFleet(async (fleet) => [
  ...(await measureLists(fleet)),
  ...(await measureRelays(fleet)),
  ...(await measureTerminals(fleet)),
  ...(await measureEventStreams(fleet)),
]);
report('scale', rows);
