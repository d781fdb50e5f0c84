import { measureKeeper } from './measures/keeper.ts';
import { report } from './report.ts';

report('keeper', await measureKeeper());
