/** The schema of job files. */
import document from '../../../../docs/reference/job.schema.json';
import { schemaOf } from './schema';

export const jobSchema = schemaOf(document, 'JobSpec');
