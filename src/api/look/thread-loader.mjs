// Lets a thread import TypeScript: unlike processes, threads get no loader from `--import tsx`.
import { register } from 'tsx/esm/api';

register();
