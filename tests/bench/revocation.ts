import { measureRevocation } from './measures/revocation.ts';
import { report } from './report.ts';

report('revocation', await measureRevocation());
