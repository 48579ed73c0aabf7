// Made from docs/reference/openapi.json by `npm run types`. Not edited by hand.

export interface paths {
    "/api/v1/alert-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the channels, by name, without their secrets. */
        get: operations["alerts_channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-channels/{channel}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a channel, without its secrets. */
        get: operations["alerts_channel"];
        /** Saves a channel. A secret that is given as `***` stays as it is. */
        put: operations["alerts_put_channel"];
        post?: never;
        /** Deletes a channel that no rule names. Messages that are still to be sent to it are given up. */
        delete: operations["alerts_delete_channel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-channels/{channel}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a channel a message now, and answers what came of it: `delivered`, or `dead` with the error. */
        post: operations["alerts_test_channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists messages that were sent or are to be sent, newest first. */
        get: operations["alerts_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-deliveries/{delivery}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a message again that was delivered or given up. */
        post: operations["alerts_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the rules, by name. Those of job files are not among them. */
        get: operations["alerts_rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-rules/{rule}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a rule. */
        get: operations["alerts_rule"];
        /** Saves a rule: it holds for what happens from now on. */
        put: operations["alerts_put_rule"];
        post?: never;
        /** Deletes a rule. What it alone wanted to know is over, and nobody is told. */
        delete: operations["alerts_delete_rule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the silences that hold. */
        get: operations["alerts_silences"];
        put?: never;
        /** Silences alerts until an instant: what begins is told when the silence ends, if it lasts until then. */
        post: operations["alerts_silence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-silences/{silence}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a silence. */
        delete: operations["alerts_end_silence"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what is wrong with jobs now that a rule wants to be told, by job. */
        get: operations["alerts_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes the server hold what a bundle says. Everything is checked before anything is written. */
        post: operations["bundles_apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the tasks of workflow runs that wait for somebody's approval, the newest first.
         * @description A page may have fewer than `limit`, or none, and a `next_cursor`: the search goes on there.
         */
        get: operations["runs_approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backfills/{backfill}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a backfill. */
        get: operations["backfills_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backfills/{backfill}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a backfill: what has no run yet is cancelled, and so are the runs that are under way. */
        post: operations["backfills_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backfills/{backfill}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the items of a backfill in their order. */
        get: operations["backfills_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backfills/{backfill}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts no more runs of a backfill until it is resumed. What is under way goes on. */
        post: operations["backfills_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backfills/{backfill}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the pause of a backfill. */
        post: operations["backfills_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backfills/{backfill}/retry-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs what failed or was cancelled again, each as a new run. */
        post: operations["backfills_retry_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the nodes and shards of the cluster, as the node that answers saw them at its last renewal. */
        get: operations["server_cluster"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/lateness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns how late handlers were entered during the last minutes, on each node and altogether. */
        get: operations["server_lateness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the last hundred moves of shards from node to node, the newest first, as the node that answers has seen them since it started. */
        get: operations["server_shard_moves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/nodes/{node}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks a node to give its shards up and to take none. It hears that with its next renewal, within a second or two. */
        post: operations["server_drain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/nodes/{node}/undrain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets a node take shards again. */
        post: operations["server_undrain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/shards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns who has which of the 256 shards, and since when. */
        get: operations["server_shard_owners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns what happened lately and will happen soon, and what somebody should look at. Reads what is counted already, never history. */
        get: operations["cluster_dashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that happens, as it happens: an event stream of [`Event`]s that resumes after `Last-Event-ID`. */
        get: operations["events_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what can be written at a place of a query: the fields, or the values of one. With `q`, counts those of the jobs that a query
         *     finds.
         */
        get: operations["search_facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the pools of the node that answers. */
        get: operations["flows_pools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-pools/{pool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Sets how many bodies may run at once in a pool on every node, or adds a pool. Holds at once on the node that answers, and within
         *     seconds on others; bodies that run go on.
         */
        put: operations["flows_set_pool"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the flows of all namespaces, by namespace and name. */
        get: operations["flows_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describes the server that answers. */
        get: operations["server_info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the labels of jobs whose runs are limited, by name. */
        get: operations["labels_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/labels/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Limits how many runs of jobs and tasks with a label are executed at a time, from the next claim on. */
        put: operations["labels_put"];
        post?: never;
        /** Removes the limit of a label. */
        delete: operations["labels_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/misfires": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what was not fired, over all triggers and the newest first, and says in which times nobody was there to fire. */
        get: operations["triggers_misfires"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists namespaces. */
        get: operations["namespaces_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a namespace. */
        get: operations["namespaces_get"];
        /** Makes a namespace. */
        put: operations["namespaces_put"];
        post?: never;
        /** Deletes an empty namespace. */
        delete: operations["namespaces_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists backfills of a namespace, or with `-` of all, newest first. */
        get: operations["backfills_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists calendars, by name. */
        get: operations["calendars_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/calendars/{calendar}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a calendar. */
        get: operations["calendars_get"];
        /** Makes or replaces a calendar. Triggers that use it get their next instants anew. */
        put: operations["calendars_put"];
        post?: never;
        /** Deletes a calendar that nothing uses. */
        delete: operations["calendars_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Checks a job file without saving it: says what is wrong, where in the text, and what would change. */
        post: operations["bundles_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns jobs and calendars of a namespace as a bundle that `apply` takes back. */
        get: operations["bundles_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a flow with all that is known of it now: states, queues, what its components did in the last five minutes. */
        get: operations["flows_get"];
        /**
         * Saves a flow. A new one is stopped. Of one that is there, components that change, or whose connections do, must be stopped; with
         *     `restart`, those that run are stopped for it, and started again. Others go on. Connections whose ends and relationships stay
         *     keep their items; one with items cannot go.
         */
        put: operations["flows_put"];
        post?: never;
        /** Deletes a flow with all of its items. It must be stopped. */
        delete: operations["flows_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what is wrong with a flow, without saving it. */
        post: operations["flows_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts, stops, terminates or runs components once: those that are named, or all. */
        post: operations["flows_change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/components/{component}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts an item into a component with `http_in`. The body is its payload; query parameters are its attributes, and the type of the
         *     body is `content.type`. Answers once the item is kept. A full queue behind the component refuses it, and a component that does
         *     not run.
         */
        post: operations["flows_put_item"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/components/{component}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the last 100 lines of a component's log, the oldest first: what its processes print, and what `log` writes. */
        get: operations["flows_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/components/{component}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says why a component runs or does not, as the one gate answers. */
        get: operations["flows_why"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a flow as the text of a flow file. How a console draws it is no part of that. */
        get: operations["flows_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns what a flow did in each minute of the last day, the oldest first: items and bodies of its components, and what its queues
         *     held. The present minute is not among them, nor are those in which nothing happened. A flow of more than 347 components and
         *     connections has fewer minutes: 500,000 figures, and half an hour at least.
         */
        get: operations["flows_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/items/{item}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns where an item is and what it holds. */
        get: operations["flows_item"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/items/{item}/payload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the whole payload of an item, byte for byte. */
        get: operations["flows_payload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/queues/{connection}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists items that wait in a connection, in the order in which they leave. */
        get: operations["flows_queue"];
        put?: never;
        post?: never;
        /** Removes items that wait in a connection: all of them, or one. What bodies have stays. */
        delete: operations["flows_drop_items"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/flows/{flow}/queues/{connection}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves items that wait in a connection to another one, where they are tried anew: without penalty, and as if nobody had tried them.
         *     So items that ended up in a queue for failures get another chance.
         */
        post: operations["flows_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists jobs of a namespace, or with `-` of all: by name, or as `sort` says. */
        get: operations["jobs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a job. */
        get: operations["jobs_get"];
        /** Makes or replaces a job. */
        put: operations["jobs_put"];
        post?: never;
        /** Deletes a job with its triggers; its history is kept. */
        delete: operations["jobs_delete"];
        options?: never;
        head?: never;
        /** Changes the parts of a job that a merge patch (RFC 7396) names; `null` removes a key. */
        patch: operations["jobs_patch"];
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a backfill: keeps the list of what it will run, and runs it bit by bit. */
        post: operations["backfills_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/backfills/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns what a backfill would do, with a page of its fire times in the order of the backfill. Nothing changes. */
        post: operations["backfills_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns what a job keeps between its runs. */
        get: operations["jobs_get_data"];
        /** Sets what the next runs of a job are given: a JSON object of at most 64 KiB. */
        put: operations["jobs_put_data"];
        post?: never;
        /** Sets what the next runs of a job are given to `{}`. */
        delete: operations["jobs_clear_data"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a job as a job file that `apply` takes back. */
        get: operations["jobs_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/glue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the versions of a job's script without their sources, newest first. */
        get: operations["xxl_versions"];
        put?: never;
        /** Gives a job another script, which is kept as a version. A script that the job has already is not kept again. */
        post: operations["xxl_set"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/glue-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds versions that XXL-JOB kept of a job's script, before those that are there. */
        post: operations["xxl_add_history"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/glue/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a version of a job's script with its source. */
        get: operations["xxl_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/glue/{version}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes an older version of a job's script the current one, as a new version. */
        post: operations["xxl_roll_back"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the graph of a workflow: tasks, what they need, and in how many waves they can run. */
        get: operations["jobs_graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists final runs of a job, newest first. */
        get: operations["jobs_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says which servers and workers could execute the next run of a job if it came now, and why each of the others could not. What keeps its runs
         *     back whoever executes them is told apart: a pause or a limit of its queue, and limits of its labels.
         */
        get: operations["jobs_match_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/past-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds runs that another scheduler has executed to the history of a job. They start nothing, and nobody is told of them; what is there
         *     already is not added again.
         */
        post: operations["runs_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pauses a job: once this is answered, none of its triggers fires. */
        post: operations["jobs_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the pause of a job. */
        post: operations["jobs_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a run of a job now. */
        post: operations["jobs_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the versions of a job that are kept, newest first: those that a run or trigger refers to. */
        get: operations["jobs_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a version of a job, also as a job file. */
        get: operations["jobs_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/jobs/{job}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says why a job does not run now, or that it does. */
        get: operations["jobs_of_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists runs of a namespace, or with `-` of all, newest first, live and final. */
        get: operations["runs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists triggers of a namespace, or with `-` of all, by job and name. */
        get: operations["triggers_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a trigger. */
        get: operations["triggers_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/gaps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the instants of a trigger that did not fire, newest first. A page may have fewer than `limit`, or none, and a `next_cursor`: the
         *     search goes on there.
         */
        get: operations["triggers_gaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pauses a trigger. */
        post: operations["triggers_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/reanchor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lets a trigger fire after now again whose records lie in the future, because the clock was ahead. Missed and suppressed
         *     instants of the future are taken back; an instant that has a run does not fire again.
         */
        post: operations["triggers_reanchor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the pause of a trigger, or lets it fire again after it was put aside. */
        post: operations["triggers_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/{job}/{trigger}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says why a trigger does not fire now. */
        get: operations["triggers_of_trigger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}/triggers/reanchor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Does the same to all triggers of a namespace, or with `-` of all. */
        post: operations["triggers_reanchor_all"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists fire times to come, earliest first. */
        get: operations["schedules_next"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the server processes of the cluster. */
        get: operations["server_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["server_document"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the operations of the last week, newest first. */
        get: operations["operations_list"];
        put?: never;
        /**
         * Does something to many jobs, or starts many runs again. The answer comes at once, and the operation says how far it is. With `dry_run`,
         *     nothing is begun: the answer says how many there are.
         */
        post: operations["operations_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/{operation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns an operation. */
        get: operations["operations_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/{operation}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks an operation to end: what is done stays done. It hears that within a second. */
        post: operations["operations_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the queues in which runs are or were in the last minutes, that workers take from, or for which something is set, by name. */
        get: operations["queues_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a queue. Every name is one. */
        get: operations["queues_get"];
        /** Sets how runs leave a queue, from the next claim on. */
        put: operations["queues_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what people have changed about a queue in the last 90 days, newest first: its limits and pauses, and runs that they have moved,
         *     placed or dropped.
         */
        get: operations["queues_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns how many runs came into a queue, left it and waited in it over time, and for how long those that left had waited. Reads what is
         *     counted already: minutes are kept for 2 days, quarters of an hour for 8 days, and three hours for 100 days. A server process keeps
         *     figures of 100 queues at a time.
         */
        get: operations["queues_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts runs that wait in a queue into another one. Runs that have been claimed meanwhile stay. */
        post: operations["queues_move_queue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pauses a queue: nothing leaves it; what runs goes on. */
        post: operations["queues_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what other limits of a queue would do to the runs that are there now, beside what the present ones do. Nothing is changed. */
        post: operations["queues_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the pause of a queue. */
        post: operations["queues_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{queue}/waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says what waits in a queue: how many runs wait for what, of which namespaces they are, and which leave first. */
        get: operations["queues_waiting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compares live workflow runs with the runs of their tasks, and tells them of ends that they have not heard of. Does nothing where all is
         *     well.
         */
        post: operations["server_repair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a run, live or final. */
        get: operations["runs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the attempts of a run, first to last. */
        get: operations["runs_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks for a run to be cancelled. It is final when its processes have ended. */
        post: operations["runs_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a run that waits in its queue; refused once it has started. One that starts in that very moment is ended as by `cancel`. */
        post: operations["runs_drop_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a part of the log of a run, or with `follow=true` an event stream that ends when the run is final. */
        get: operations["runs_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/log/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the line at which to begin to read an attempt that failed: its first error. */
        get: operations["runs_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/log/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Looks for a text in the log of a run, for two seconds at most: lists the first lines that match, and counts all. */
        get: operations["runs_find"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/log/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sends the log of a run as plain text, as it is kept: with escape sequences, without times. */
        get: operations["runs_text"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts a run that waits into another queue. */
        post: operations["runs_move_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns what a run has left, however large it is. */
        get: operations["runs_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets nothing new start in a workflow run until it is resumed. What runs goes on. */
        post: operations["runs_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/place": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a run that waits another place in its queue: before or behind all others that wait there, or where a priority puts it. It gets
         *     the priority that puts it there. Namespaces take turns all the same, and limits hold.
         */
        post: operations["runs_place"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a new run with the same input, job version and fire time. Of a workflow run also with some tasks only: the others keep their
         *     results. In a workflow run that goes on, the tasks run again in the run itself, which is then the answer.
         */
        post: operations["runs_rerun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/rerun/cascade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs tasks of a workflow run again that is over, and then what depends on it in other workflows, by logical date. The answer is a
         *     backfill of the run's date, which makes the new run; those of other workflows name it as `cascade_of`.
         */
        post: operations["runs_start_cascade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/rerun/cascade/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what such a rerun would do with each task of the run, and with which dates of other workflows. Nothing is changed. */
        post: operations["runs_plan_cascade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/rerun/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what a rerun of a workflow run would do with each task. Nothing is changed. */
        post: operations["runs_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the pause of a workflow run. */
        post: operations["runs_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tasks of a workflow run in the order of their names, or the items of one of them. */
        get: operations["runs_list_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a task of a workflow run, or an item of one as `NAME[NUMBER]`, and what it waits for. */
        get: operations["runs_get_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks/{task}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves what a task asks for: it succeeds. */
        post: operations["runs_approve_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks/{task}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a task: at once if it has not started, else its worker does. What needs it follows its rule, or with `downstream` ends, too. */
        post: operations["runs_cancel_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks/{task}/mark": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a task for succeeded or failed, whatever it did. If it runs, its run is cancelled. */
        post: operations["runs_mark_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks/{task}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rejects what a task asks for: it fails. */
        post: operations["runs_reject_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/tasks/{task}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Leaves a task out that has not started. What needs it follows its rule. */
        post: operations["runs_skip_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says why a run does not run now, or that it does. */
        get: operations["runs_of_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Explains a schedule and lists its next fire times; nothing is stored. */
        post: operations["schedules_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says with what the request was let in, and until when that holds. */
        get: operations["session_get"];
        put?: never;
        /** Signs a browser in, with the code of a login link or the access token. The answer sets the cookie of the session. */
        post: operations["session_sign_in"];
        /** Signs the browser out. With a token, there is nothing to end. */
        delete: operations["session_sign_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a link that signs one browser in, once, within ten minutes, on the node that answers. */
        post: operations["session_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says what changes, in one stream for all that a browser shows.
         * @description `event: change` carries a [`LiveChange`], `event: stats` a [`LiveStats`] each second where the topic `stats` is asked for, and `event: resync` says
         *     that events may have been missed: look at everything again. A stream resumes after `Last-Event-ID` for about a minute, on the
         *     same node. A comment comes every 15 s. The stream ends when the session or the token of its caller does.
         */
        get: operations["stream_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists saved views, by name. */
        get: operations["views_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views/{view}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a saved view. */
        get: operations["views_get"];
        /** Saves a view, or replaces one. */
        put: operations["views_put"];
        post?: never;
        /** Deletes a saved view. */
        delete: operations["views_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the webhooks, by name. Their addresses are cut to scheme and host: what follows may be a secret. */
        get: operations["webhooks_list"];
        put?: never;
        /** Makes a webhook: it is told of what happens from now on. The answer is the only place where its secret can be read. */
        post: operations["webhooks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a webhook. Whoever may not change it sees scheme and host of its address. */
        get: operations["webhooks_get"];
        put?: never;
        post?: never;
        /** Deletes a webhook. Its deliveries are not sent any more, and retention deletes them. */
        delete: operations["webhooks_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what was sent to a webhook, newest first. */
        get: operations["webhooks_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets a webhook go on that rests: with what happens from now on, and with what is pending. */
        post: operations["webhooks_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook another secret. For a day, messages are signed with the one before as well; a further one is refused until then,
         *     unless it is forced, because receivers may know neither of the two that would be valid.
         */
        post: operations["webhooks_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a webhook a message of the type `webhook.test`, signed and repeated like any other. */
        post: operations["webhooks_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/worker-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tokens of workers, by name. */
        get: operations["workers_tokens"];
        put?: never;
        /** Makes a token for workers. */
        post: operations["workers_create_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/worker-tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a token of workers: it opens nothing any more. */
        delete: operations["workers_revoke_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the workers that have joined, by name. */
        get: operations["workers_list"];
        put?: never;
        /** Joins as a worker. */
        post: operations["workers_join"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{worker}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a worker. */
        get: operations["workers_get"];
        put?: never;
        post?: never;
        /** Leaves as a worker: what it still executes is lost. */
        delete: operations["workers_leave"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{worker}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Has a worker be given nothing new. It finishes what it has, and what waits for it alone goes to others. That holds until it is taken
         *     back, or until the worker's process joins anew.
         */
        post: operations["workers_drain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{worker}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks what there is to do. Answered at once if there is something, and else after a while. */
        post: operations["workers_poll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{worker}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what became of runs. All of it is recorded when this is answered. */
        post: operations["workers_report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{worker}/undrain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets a worker be given runs again. */
        post: operations["workers_undrain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/xxl/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the apps of XXL-JOB's executors, by name. */
        get: operations["xxl_list"];
        put?: never;
        /** Makes an app: executors of its name may connect. The answer has its token. */
        post: operations["xxl_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/xxl/apps/{app}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns an app with the executors that are known to the node that answers. */
        get: operations["xxl_get"];
        put?: never;
        /** Changes an app. What is absent stays. */
        post: operations["xxl_change"];
        /** Deletes an app: its executors are not called any more and cannot connect. What they have is lost. */
        delete: operations["xxl_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/xxl/apps/{app}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces the token of an app. The one before opens for another day, unless it is to end at once. */
        post: operations["xxl_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/xxl/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the executors that are known to the node that answers, by app and address. */
        get: operations["xxl_instances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells whether the process is alive and its timer loop ticks. */
        get: operations["server_livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures as `OpenMetrics` text. */
        get: operations["server_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells whether the server takes work: store reachable, engine ticking, member of the cluster, not draining. */
        get: operations["server_readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Ends of runs after which a job starts.
         * @enum {string}
         */
        AfterOn: "succeeded" | "failed" | "cancelled" | "skipped" | "any";
        /** @description A channel. */
        AlertChannel: {
            /** @description Which member of `spec` there is: `email`, `slack`, `wecom`, `dingtalk`, `feishu` or `webhook`. */
            kind: string;
            last_delivery?: components["schemas"]["AlertDelivery"] | null;
            /** @description Name. */
            name: string;
            /** @description What it says. Secrets that it holds are shown as `***`. */
            spec: components["schemas"]["AlertChannelSpec"];
            /** @description When it was changed last. */
            updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Counts its changes, from 1; also in `ETag`.
             */
            version: number;
            /** @description In answers to `PUT`: what is allowed and probably not meant. */
            warnings?: components["schemas"]["Problem"][];
        };
        /** @description Where alerts are sent. Exactly one of `email`, `slack`, `wecom`, `dingtalk`, `feishu` and `webhook`. */
        AlertChannelSpec: {
            dingtalk?: components["schemas"]["AlertHook"] | null;
            email?: components["schemas"]["AlertEmail"] | null;
            feishu?: components["schemas"]["AlertHook"] | null;
            /** @description Name of the channel. */
            name: string;
            slack?: components["schemas"]["AlertHook"] | null;
            webhook?: components["schemas"]["AlertHook"] | null;
            wecom?: components["schemas"]["AlertHook"] | null;
        };
        /** @description A message to a channel, and what became of it so far. */
        AlertDelivery: {
            /**
             * Format: int32
             * @description How often it was sent.
             */
            attempts: number;
            /** @description The channel. */
            channel: string;
            /** @description What is or was wrong. */
            condition?: string | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description What went wrong last, beginning with a stable code. */
            error?: string | null;
            /** @description Its id: the same however often it is sent. */
            id: string;
            /** @description The job. */
            job?: string | null;
            /** @description Namespace of the job; none in a test. */
            namespace?: string | null;
            next_at?: components["schemas"]["Timestamp"] | null;
            /** @description The run that it is about. */
            run?: string | null;
            /** @description Where it stands. */
            state: components["schemas"]["DeliveryState"];
            /** @description Its first line. */
            subject: string;
            /** @description Why it is sent: `opened`, `reminder`, `recovered` or `test`. */
            type: string;
        };
        /** @description E-mail over SMTP. */
        AlertEmail: {
            /** @description The sender: `jobs@example.org`, or `Jobs <jobs@example.org>`. */
            from: string;
            password?: components["schemas"]["AlertSecret"] | null;
            /**
             * Format: int32
             * @description Its port; 587 for `starttls`, 465 for `tls` and 25 for `none` when absent.
             */
            port?: number | null;
            security?: components["schemas"]["AlertSecurity"] | null;
            /** @description Name of the SMTP server. */
            server: string;
            /** @description Whom it is sent to where a rule does not say; at most 100. */
            to?: string[];
            /** @description Name to sign in with; nobody signs in when absent. */
            username?: string | null;
        };
        /** @description An address that messages are posted to. */
        AlertHook: {
            secret?: components["schemas"]["AlertSecret"] | null;
            /** @description The address, which often is a secret itself. */
            url: components["schemas"]["AlertSecret"];
        };
        /** @description A rule. */
        AlertRule: {
            /** @description Name. */
            name: string;
            /** @description What it says. */
            spec: components["schemas"]["AlertRuleSpec"];
            /** @description When it was changed last. */
            updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Counts its changes, from 1; also in `ETag`.
             */
            version: number;
            /** @description In answers to `PUT`: what is allowed and probably not meant. */
            warnings?: components["schemas"]["Problem"][];
        };
        /** @description Alerts for many jobs. A job is meant if all of `namespace`, `job` and `labels` fit that are given. */
        AlertRuleSpec: {
            /** @description What is told to whom; at most 50. */
            alerts: components["schemas"]["AlertSpec"][];
            /** @description Only this job of the namespace. */
            job?: string | null;
            /** @description Only jobs with all of these labels; at most 20. */
            labels?: {
                [key: string]: string;
            };
            /** @description Name of the rule. */
            name: string;
            /** @description Only jobs of this namespace. */
            namespace?: string | null;
        };
        /**
         * @description A secret: the text, or where servers find it. Texts are never shown again: `***` stands in their place, and leaves what is
         *     there when it is applied.
         */
        AlertSecret: string | components["schemas"]["AlertSecretPlace"];
        /** @description Where servers find a secret: one of both. */
        AlertSecretPlace: {
            /** @description The end of the name of an environment variable of each server: `SMTP` for `MAINSPRING_SECRET_SMTP`. */
            env?: string | null;
            /** @description Name of a file in the folder `secrets` of each server's data folder. */
            file?: string | null;
        };
        /**
         * @description How a connection to an SMTP server is secured.
         * @enum {string}
         */
        AlertSecurity: "starttls" | "tls" | "none";
        /** @description A silence. */
        AlertSilence: {
            /** @description Who asked for it, and with what it was let in. */
            by: string;
            /** @description When it was asked for. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Its id. */
            id: string;
            /** @description Only this job of the namespace. */
            job?: string | null;
            /** @description Only jobs with this label. */
            label?: string | null;
            /** @description Only jobs of this namespace. */
            namespace?: string | null;
            /** @description Why. */
            reason: string;
            /** @description Until when. */
            until: components["schemas"]["Timestamp"];
        };
        /** @description Silences alerts of jobs. Jobs are meant as by a rule; all of them where nothing is given. */
        AlertSilenceSpec: {
            /** @description Who asks for it. */
            by?: string | null;
            /** @description Only this job of the namespace. */
            job?: string | null;
            /** @description Only jobs with this label: `KEY=VALUE`. */
            label?: string | null;
            /** @description Only jobs of this namespace. */
            namespace?: string | null;
            /** @description Why. */
            reason: string;
            /** @description Until when. */
            until: components["schemas"]["Timestamp"];
        };
        /** @description Conditions of a job, and the channels that are told of each. At least one condition and one channel. */
        AlertSpec: {
            /** @description Names of the channels, at most 20. */
            channels: string[];
            /** @description A run has not ended by its deadline. */
            deadline_missed?: boolean;
            /** @description A run has failed, with no attempts left. */
            failed?: boolean;
            /**
             * Format: int32
             * @description So many runs have failed, one after another.
             */
            failed_in_row?: number | null;
            /** @description A run was not started this long after it was due, as a duration. */
            late?: string | null;
            /** @description Fire times were missed. */
            misfired?: boolean;
            /** @description Whether they are told when it is over; they are when absent. */
            recovered?: boolean | null;
            /** @description After how long they are told again while it lasts, as a duration of a minute or more; once when absent. */
            repeat?: string | null;
            /** @description A run takes longer than this, over all attempts, as a duration. */
            runs_longer?: string | null;
            /** @description Addresses of e-mail, in place of those of the channels; at most 100. */
            to?: string[];
        };
        /**
         * @description Fate of an item.
         * @enum {string}
         */
        ApplyAction: "created" | "updated" | "unchanged" | "deleted";
        /** @description What became of one item. */
        ApplyItem: {
            /** @description Its fate. */
            action: components["schemas"]["ApplyAction"];
            /** @description What differs, for updated items. */
            changes?: components["schemas"]["FieldChange"][];
            /** @description Job or calendar. */
            kind: components["schemas"]["ItemKind"];
            /** @description Name. */
            name: string;
            /** @description Namespace. */
            namespace: string;
            /**
             * Format: int64
             * @description Version after the apply; absent when deleted, or when a dry run would create it.
             */
            version?: number | null;
        };
        /** @description What an apply did, or would do. */
        ApplyResult: {
            /** @description Nothing was changed. */
            dry_run: boolean;
            /** @description Every item: calendars, then jobs, in the order of the bundle, then what was deleted. */
            items: components["schemas"]["ApplyItem"][];
            /** @description How many items met which fate. */
            totals: components["schemas"]["ApplyTotals"];
            /** @description What is allowed and probably not meant, in the items that were created or updated. */
            warnings?: components["schemas"]["Problem"][];
        };
        /** @description How many items met which fate. */
        ApplyTotals: {
            /**
             * Format: int32
             * @description Made.
             */
            created: number;
            /**
             * Format: int32
             * @description Deleted.
             */
            deleted: number;
            /**
             * Format: int32
             * @description Left as they were.
             */
            unchanged: number;
            /**
             * Format: int32
             * @description Saved as a new version.
             */
            updated: number;
        };
        /** @description A task of a workflow run that waits for somebody to approve or reject it. */
        Approval: {
            /** @description Who may decide; everybody who may steer runs when absent. */
            from?: string[];
            /** @description Name of the workflow. */
            job: string;
            /** @description Namespace. */
            namespace: string;
            on_timeout?: components["schemas"]["OnTimeout"] | null;
            /** @description What is asked, with the values of this run. */
            prompt: string;
            /** @description The workflow run. */
            run: string;
            /** @description When it began to wait. */
            since: components["schemas"]["Timestamp"];
            /** @description The task that asks; one item of a task that runs more than once has its number in brackets. */
            task: string;
            until?: components["schemas"]["Timestamp"] | null;
        };
        /** @description What somebody is to decide before a workflow goes on. */
        ApprovalSpec: {
            from?: components["schemas"]["OneOrMany_String"] | null;
            on_timeout?: components["schemas"]["OnTimeout"] | null;
            /** @description What is asked; may hold `${{ … }}`. */
            prompt: string;
            /** @description How long to wait for them, as a duration; without limit when absent. */
            timeout?: string | null;
        };
        /** @description One try of a run on one worker. */
        Attempt: {
            /** @description When it was claimed. */
            claimed_at: components["schemas"]["Timestamp"];
            ended_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int32
             * @description Exit code of the process.
             */
            exit_code?: number | null;
            /** @description Node that claimed it; known of the newest attempt. */
            node?: string | null;
            /**
             * Format: int32
             * @description Number, from 1.
             */
            number: number;
            /** @description Why it ended so, when that needs saying. */
            reason?: string | null;
            /** @description Run. */
            run: string;
            /**
             * Format: int32
             * @description Signal that ended the process.
             */
            signal?: number | null;
            started_at?: components["schemas"]["Timestamp"] | null;
            /** @description Where it stands. */
            state: components["schemas"]["AttemptState"];
            /** @description Worker that claimed it; known of the newest attempt. */
            worker?: string | null;
        };
        /**
         * @description Where an attempt stands.
         * @enum {string}
         */
        AttemptState: "running" | "succeeded" | "failed" | "timed_out" | "lost" | "cancelled" | "unknown";
        /** @description Something that somebody should look at. */
        Attention: {
            /**
             * Format: int64
             * @description How often, or how many: of failures in a row ten at most are counted.
             */
            count: number;
            /** @description In words. */
            detail: string;
            /** @description The job, if it is about one. */
            job?: string | null;
            /** @description Of what kind. */
            kind: components["schemas"]["AttentionKind"];
            /** @description The run to look at. */
            last_run?: string | null;
            /** @description Namespace of the job, if it is about one. */
            namespace?: string | null;
            /** @description The queue, if it is about one. */
            queue?: string | null;
            /** @description Since when. */
            since: components["schemas"]["Timestamp"];
        };
        /**
         * @description What somebody should look at.
         * @enum {string}
         */
        AttentionKind: "failing" | "late" | "stuck" | "misfires" | "webhooks" | "unknown";
        /**
         * @description A backfill.
         * @example {
         *       "actions": {
         *         "absent": 0,
         *         "active": 0,
         *         "create": 1,
         *         "keep": 5,
         *         "rerun": 1
         *       },
         *       "created_at": "2026-07-08T09:12:44.120Z",
         *       "created_by": "ada",
         *       "from": "2026-06-30T22:00:00Z",
         *       "id": "7",
         *       "items": {
         *         "cancelled": 0,
         *         "failed": 0,
         *         "open": 0,
         *         "running": 1,
         *         "skipped": 0,
         *         "succeeded": 1,
         *         "total": 2
         *       },
         *       "job": "etl",
         *       "job_version": 3,
         *       "max_active": 2,
         *       "namespace": "default",
         *       "order": "asc",
         *       "plan": "5f0c1d2e3a4b",
         *       "priority": -5,
         *       "reprocess": "failed",
         *       "state": "active",
         *       "stop_on_failure": false,
         *       "timezone": "Europe/Berlin",
         *       "to": "2026-07-07T21:59:59.999Z",
         *       "trigger": "daily"
         *     }
         */
        Backfill: {
            /** @description All fire times of the range by what the plan said about them. */
            actions: components["schemas"]["BackfillActions"];
            /** @description Whether it was started together with what depends on it, or because it depends on another one. */
            cascade?: boolean;
            /** @description The backfill that it depends on and was started with. */
            cascade_of?: string | null;
            /** @description When it was started. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Who started it. */
            created_by?: string | null;
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description The first instant of the range. */
            from: components["schemas"]["Timestamp"];
            /** @description Number. */
            id: string;
            /** @description Its items by state. */
            items: components["schemas"]["BackfillItems"];
            /** @description Job. */
            job: string;
            /**
             * Format: int64
             * @description Version of the job that the runs execute.
             */
            job_version: number;
            /**
             * Format: int32
             * @description Runs under way at a time.
             */
            max_active: number;
            /** @description Namespace. */
            namespace: string;
            /** @description In which order they start. */
            order: components["schemas"]["BackfillOrder"];
            part?: components["schemas"]["BackfillPart"] | null;
            /** @description Hash of its plan. */
            plan: string;
            /**
             * Format: int32
             * @description Priority of the runs.
             */
            priority: number;
            /** @description Why it stands there, when that needs saying. */
            reason?: string | null;
            /** @description Which fire times of the range are run. */
            reprocess: components["schemas"]["Reprocess"];
            /** @description Where it stands. */
            state: components["schemas"]["BackfillState"];
            /** @description Whether the first run that fails pauses the backfill. */
            stop_on_failure: boolean;
            /** @description Time zone in which the range was read. */
            timezone: string;
            /** @description The last instant of the range. */
            to: components["schemas"]["Timestamp"];
            /** @description Trigger whose fire times are run. */
            trigger: string;
        };
        /**
         * @description What a backfill does about a fire time.
         * @enum {string}
         */
        BackfillAction: "create" | "rerun" | "keep" | "active" | "absent" | "unknown";
        /** @description Fire times by what a backfill does about them. */
        BackfillActions: {
            /**
             * Format: int64
             * @description Left out: there is no run of which tasks could run again.
             */
            absent?: number;
            /**
             * Format: int64
             * @description Left alone: a run is under way, or about to be.
             */
            active: number;
            /**
             * Format: int64
             * @description Run for the first time.
             */
            create: number;
            /**
             * Format: int64
             * @description Left alone: what there is, is not to be reprocessed.
             */
            keep: number;
            /**
             * Format: int64
             * @description Run again.
             */
            rerun: number;
        };
        /** @description A fire time that a backfill runs. */
        BackfillItem: {
            /** @description `create` or `rerun`. */
            action: components["schemas"]["BackfillAction"];
            /** @description Fire time. */
            fire_at: components["schemas"]["Timestamp"];
            logical_date?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Its place in the order of the backfill, from 1.
             */
            number: number;
            /** @description The run before, which this one repeats. */
            rerun_of?: string | null;
            /** @description The newest run made for it. */
            run?: string | null;
            /** @description Where it stands. */
            state: components["schemas"]["BackfillItemState"];
        };
        /** @description Items of a backfill by state. */
        BackfillItems: {
            /**
             * Format: int64
             * @description Whose run was cancelled, or that were cancelled before they had one.
             */
            cancelled: number;
            /**
             * Format: int64
             * @description Whose run failed.
             */
            failed: number;
            /**
             * Format: int64
             * @description Without a run yet.
             */
            open: number;
            /**
             * Format: int64
             * @description Whose run has not ended.
             */
            running: number;
            /**
             * Format: int64
             * @description Whose run was skipped, or for which another one was under way.
             */
            skipped: number;
            /**
             * Format: int64
             * @description Whose run succeeded.
             */
            succeeded: number;
            /**
             * Format: int64
             * @description All of them.
             */
            total: number;
        };
        /**
         * @description Where an item of a backfill stands.
         * @enum {string}
         */
        BackfillItemState: "open" | "running" | "succeeded" | "failed" | "cancelled" | "skipped" | "unknown";
        /**
         * @description In which order a backfill starts its runs.
         * @enum {string}
         */
        BackfillOrder: "asc" | "desc";
        /** @description Which tasks of the runs of a range run again. */
        BackfillPart: {
            /** @description Whether fire times without a run get a whole one. */
            create_missing: boolean;
            /** @description Whether all that need them run, too. */
            downstream: boolean;
            /** @description Their names; none for those that failed. */
            tasks?: string[];
            /** @description Whether all that they need run, too. */
            upstream: boolean;
        };
        /**
         * @description What a backfill would do.
         * @example {
         *       "actions": {
         *         "absent": 0,
         *         "active": 0,
         *         "create": 1,
         *         "keep": 5,
         *         "rerun": 1
         *       },
         *       "from": "2026-06-30T22:00:00Z",
         *       "hash": "5f0c1d2e3a4b",
         *       "items": [
         *         {
         *           "action": "create",
         *           "fire_at": "2026-07-01T04:00:00Z"
         *         },
         *         {
         *           "action": "rerun",
         *           "fire_at": "2026-07-02T04:00:00Z",
         *           "run": "019fc0de-a800-8000-8000-00007a791355"
         *         }
         *       ],
         *       "job": "etl",
         *       "job_version": 3,
         *       "max_active": 2,
         *       "namespace": "default",
         *       "next_cursor": "2",
         *       "order": "asc",
         *       "priority": -5,
         *       "reprocess": "failed",
         *       "stop_on_failure": false,
         *       "timezone": "Europe/Berlin",
         *       "to": "2026-07-07T21:59:59.999Z",
         *       "trigger": "daily"
         *     }
         */
        BackfillPlan: {
            /** @description All fire times of the range by what is done about them. */
            actions: components["schemas"]["BackfillActions"];
            below?: components["schemas"]["BackfillActions"] | null;
            /** @description Whether what depends on it runs, too. */
            cascade?: boolean;
            /** @description The first instant of the range. */
            from: components["schemas"]["Timestamp"];
            /** @description Names the plan. The same rows under the same choices have the same hash. */
            hash: string;
            /** @description A page of them, in the order of the backfill, and then of those that depend on them, level by level. */
            items: components["schemas"]["BackfillPlanItem"][];
            /** @description Job. */
            job: string;
            /**
             * Format: int64
             * @description Version of the job that the runs would execute.
             */
            job_version: number;
            /**
             * Format: int32
             * @description Runs under way at a time.
             */
            max_active: number;
            /** @description Namespace. */
            namespace: string;
            /** @description What `cursor` gets the next page; absent on the last one. */
            next_cursor?: string | null;
            /** @description In which order they start. */
            order: components["schemas"]["BackfillOrder"];
            part?: components["schemas"]["BackfillPart"] | null;
            /**
             * Format: int32
             * @description Priority of the runs.
             */
            priority: number;
            /** @description Which fire times of the range are run. */
            reprocess: components["schemas"]["Reprocess"];
            /** @description Whether the first run that fails pauses the backfill. */
            stop_on_failure: boolean;
            /** @description Time zone in which the range was read. */
            timezone: string;
            /** @description The last instant of the range. */
            to: components["schemas"]["Timestamp"];
            /** @description Trigger whose fire times are run. */
            trigger: string;
        };
        /** @description What a backfill would do about a fire time. */
        BackfillPlanItem: {
            /** @description What is done about it. */
            action: components["schemas"]["BackfillAction"];
            /** @description Fire time. */
            fire_at: components["schemas"]["Timestamp"];
            /** @description The job whose fire time it is, where that is another backfill's because it depends on this one. */
            job?: string | null;
            /**
             * Format: int32
             * @description How many times removed it depends on what was chosen; absent for that itself.
             */
            level?: number | null;
            logical_date?: components["schemas"]["Timestamp"] | null;
            /** @description Why none does, in words. */
            reason?: string | null;
            /** @description The newest run that there is. */
            run?: string | null;
            /**
             * Format: int64
             * @description How many of its tasks run again, where only some do.
             */
            tasks?: number | null;
            /** @description The trigger of that job. */
            trigger?: string | null;
            /** @description What it depends on: the task that needs, and what that needs. */
            why?: string | null;
        };
        /**
         * @description What is to be backfilled, and how.
         * @example {
         *       "from": "2026-07-01",
         *       "max_active": 2,
         *       "plan": "5f0c1d2e3a4b",
         *       "reprocess": "failed",
         *       "to": "2026-07-07"
         *     }
         */
        BackfillSpec: {
            /** @description To start: who starts it, where the token does not say. */
            by?: string | null;
            /**
             * @description Whether fire times of other workflows run, too, that depend on these by `needs`: of each the tasks that need them and all below
             *     those, after what they need has ended well. A fire time without a run gets a whole one.
             */
            cascade?: boolean;
            /** @description With `tasks` or `failed`: fire times without a run get a whole one. Otherwise they are left out. */
            create_missing?: boolean;
            /** @description With `tasks`: also all that need them, directly or not, and the tasks that run last. */
            downstream?: boolean;
            /** @description In place of `tasks`: what failed or was cancelled in runs that failed, what did not start because of it, and the tasks that run last. */
            failed?: boolean;
            /** @description The first day of the range of logical dates, which are fire times unless the job says otherwise, as `2026-07-01`, a local time such as `2026-07-01T06:00`, or an instant with its offset. */
            from: string;
            /**
             * Format: int32
             * @description Runs under way at a time, 1 to 1,000; 1 when absent.
             */
            max_active?: number | null;
            /** @description In which order they start. */
            order?: components["schemas"]["BackfillOrder"];
            /** @description To start: hash of the plan that was shown. Refused if the plan is another one by now. */
            plan?: string | null;
            /**
             * Format: int32
             * @description Priority of the runs; 10 below that of the job when absent, so that scheduled runs go first.
             */
            priority?: number | null;
            /** @description Which fire times of the range are run. Leave it out with `tasks` and `failed`. */
            reprocess?: components["schemas"]["Reprocess"];
            /** @description Whether the first run that fails pauses the backfill. */
            stop_on_failure?: boolean;
            /** @description Of a workflow: names of tasks that run again in each run of the range, in place of whole runs. The others keep their results. */
            tasks?: string[];
            /** @description Time zone in which `from` and `to` are read; the trigger's when absent. */
            timezone?: string | null;
            /** @description The last one, which counts; of a day all of it. Now when absent. */
            to?: string | null;
            /** @description Trigger whose fire times are run; the only one of the job when absent. */
            trigger?: string | null;
            /** @description With `tasks`: also all that they need, directly or not. */
            upstream?: boolean;
        };
        /**
         * @description Where a backfill stands.
         * @enum {string}
         */
        BackfillState: "active" | "paused" | "cancelled" | "completed" | "unknown";
        /**
         * @description How the pause before a further attempt grows.
         * @enum {string}
         */
        Backoff: "fixed" | "exponential";
        /** @description Jobs and calendars together: a job file, the body of `apply`, the answer of `export`. */
        Bundle: {
            /** @description Calendars, in any order; at most 10,000. */
            calendars?: components["schemas"]["CalendarSpec"][];
            /** @description Jobs, in any order; at most 100,000. */
            jobs?: components["schemas"]["JobSpec"][];
            /** @description Namespace of the items that name none. */
            namespace?: string | null;
            /** @description Further namespaces that are named though nothing here is in them, so that `prune` empties these; at most 1,000. */
            namespaces?: string[];
        };
        /** @description A calendar with what the server knows about it. */
        Calendar: {
            /** @description When it was first saved. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Id, stable across edits. */
            id: string;
            /** @description Name. */
            name: string;
            /** @description Namespace. */
            namespace: string;
            /** @description The definition as it was saved. */
            spec: components["schemas"]["CalendarSpec"];
            /**
             * Format: int64
             * @description Triggers that name it, directly or as a base.
             */
            trigger_count: number;
            /** @description When this version was saved. */
            updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Version: 1 at first, one more with each save. For `If-Match`.
             */
            version: number;
        };
        /** @description A number of calendar units. */
        CalendarInterval: {
            /**
             * Format: int32
             * @description Number of units, from 1.
             */
            every: number;
            /** @description Keeps the hour of day across clock changes, for units of a day and longer. */
            preserve_hour?: boolean;
            /** @description Passes over a day on which that hour does not exist; wants `preserve_hour`. */
            skip_missing_hour?: boolean;
            /** @description The unit. */
            unit: components["schemas"]["IntervalUnit"];
        };
        /**
         * @description Days or times at which triggers that name the calendar do not fire.
         *
         *     Exactly one of `annual`, `cron`, `daily`, `holiday`, `monthly` and `weekly` is set. What `base`
         *     removes is removed as well.
         */
        CalendarSpec: {
            /** @description Kind: days of each year, `MM-DD`; at most 366. */
            annual?: string[] | null;
            /** @description Another calendar whose days are removed too. */
            base?: string | null;
            /** @description Kind: the seconds that a Quartz cron expression matches. */
            cron?: string | null;
            daily?: components["schemas"]["DailyRange"] | null;
            /** @description What the calendar is for, in the user's words. */
            description?: string | null;
            /** @description Kind: days, `YYYY-MM-DD`; at most 10,000. */
            holiday?: string[] | null;
            monthly?: components["schemas"]["OneOrMany_u8"] | null;
            /** @description Name, unique in its namespace; the same rules as for jobs. */
            name: string;
            /** @description Namespace; else that of the file, else that of the command, else `default`. */
            namespace?: string | null;
            /** @description IANA time zone of the days and times; that of the trigger when absent. */
            timezone?: string | null;
            weekly?: components["schemas"]["OneOrMany_Weekday"] | null;
        };
        /** @description A text that may be a job file. */
        CheckRequest: {
            /** @description `yaml`, `toml` or `json`; `yaml` when absent, which includes JSON. */
            format?: string | null;
            /** @description The text: one job, several documents, or a bundle, as `mainspring apply` reads them. */
            text: string;
        };
        /** @description What a text says, and what is wrong with it. */
        CheckResult: {
            /** @description Everything that is wrong, with line and column of the text, up to 100 problems. */
            errors: components["schemas"]["Problem"][];
            /** @description What applying it would change, compared with what is stored; empty while something is wrong. */
            items: components["schemas"]["ApplyItem"][];
            /** @description The jobs as far as they could be read. */
            jobs: components["schemas"]["JobSpec"][];
            /** @description Applying it would be accepted. */
            valid: boolean;
            /** @description What is allowed and probably not meant. */
            warnings: components["schemas"]["Problem"][];
        };
        /** @description The nodes that share a store and divide its shards, as the node that answers saw them at its last renewal. */
        Cluster: {
            /** @description Incarnation of the node that answers. */
            node: string;
            /** @description Every node, by name. */
            nodes: components["schemas"]["Node"][];
            /** @description Every shard, in order. */
            shards: components["schemas"]["Shard"][];
            /** @description Kind of store: `postgres`, `sqlite`, `memory`. */
            store: string;
            /** @description Whether that node may fire the triggers of its shards now. */
            trusted: boolean;
        };
        /** @description How late handlers were entered during the last minutes: entered minus due. */
        ClusterLateness: {
            /** @description All nodes together. */
            cluster: components["schemas"]["Lateness"];
            /**
             * Format: int32
             * @description How many minutes the figures cover.
             */
            minutes: number;
            /** @description Each node, by name. */
            nodes: components["schemas"]["NodeLateness"][];
        };
        /**
         * @description A component of a flow: what its body does, and when it runs.
         *
         *     Exactly one of `run`, `exec`, `script`, `http`, `run_job`, `handler`, `generate`, `log`, `route`, `split`, `merge`, `wait`, `funnel`,
         *     `http_in`, `file_in` and `file_out` says what its body does. At most one of `schedule`, `cron` and `event` says when it runs; without,
         *     it runs as fast as there is work.
         */
        ComponentSpec: {
            /** @description How long it rests after its body failed, as a duration; `30 sec` when absent. */
            admin_yield?: string | null;
            /** @description Whether room behind one relationship is enough; else all need room. */
            any_destination?: boolean;
            /**
             * Format: int32
             * @description How many items one body of a `handler` gets at most, 1 to 10,000; 1 when absent.
             */
            batch?: number | null;
            /**
             * Format: int32
             * @description How many bodies may run at once; 1 when absent. 0 is for event-driven components: as many as the pool takes.
             */
            concurrency?: number | null;
            /** @description Times at which it runs, with 6 or 7 fields as in Quartz: cron-driven. */
            cron?: string | null;
            /** @description What it is for, in the user's words. */
            description?: string | null;
            end?: components["schemas"]["OneOrMany_String"] | null;
            /** @description Environment variables of the process; at most 1,000. */
            env?: {
                [key: string]: string;
            };
            /** @description `true` starts it when an item arrives: event-driven. */
            event?: boolean;
            /** @description A program and its arguments, without a shell, as with `run`; at most 10,000. */
            exec?: string[] | null;
            file_in?: components["schemas"]["FileInSpec"] | null;
            file_out?: components["schemas"]["FileOutSpec"] | null;
            /** @description `true` passes items on as they are, 10,000 in one turn at most. Relationship `success`. */
            funnel?: boolean;
            generate?: components["schemas"]["GenerateSpec"] | null;
            /**
             * @description Calls a function for flows that the program around the engine has registered under this name. Relationships `success` and
             *     `failure`.
             */
            handler?: string | null;
            http?: components["schemas"]["HttpTask"] | null;
            http_in?: components["schemas"]["HttpInSpec"] | null;
            log?: components["schemas"]["LogSpec"] | null;
            merge?: components["schemas"]["MergeSpec"] | null;
            misfire?: components["schemas"]["FlowMisfire"] | null;
            /**
             * Format: int32
             * @description How many bodies at most make up for such times, with `misfire: all`.
             */
            misfire_max?: number | null;
            on_blocked?: components["schemas"]["OnBlocked"] | null;
            /** @description How long a penalised item is passed over, as a duration; `30 sec` when absent. */
            penalty?: string | null;
            placement?: components["schemas"]["FlowPlacement"] | null;
            /** @description Pool whose permits its bodies take; `event` for event-driven components and `timer` for others when absent. */
            pool?: string | null;
            retry?: components["schemas"]["RetrySpec"] | null;
            /** @description Passes each item on under the first relationship whose condition holds, or under `unmatched`; at most 1,000. */
            route?: components["schemas"]["RouteSpec"][] | null;
            /**
             * @description A line for `/bin/sh`. It gets an item's payload on standard input and its attributes as `$MS_ATTRIBUTES`, and answers with
             *     items in the file `$MS_ITEMS`. Relationships `success` and `failure`.
             */
            run?: string | null;
            /** @description How long a turn goes on to start bodies, as a duration; none when absent. */
            run_duration?: string | null;
            /**
             * @description Starts a run of this job, `JOB` or `NAMESPACE/JOB`, for each item and waits for it. Its input is the payload where that is a JSON
             *     object, else the attributes and `payload`; its output becomes the payload. Relationships `success` and `failure`.
             */
            run_job?: string | null;
            /** @description Delay from the end of a body to the next start, as a duration: timer-driven. */
            schedule?: string | null;
            script?: components["schemas"]["ScriptSpec"] | null;
            /** @description Whether its bodies must never overlap. */
            serial?: boolean;
            split?: components["schemas"]["SplitSpec"] | null;
            /** @description Time a process may take, as a duration. */
            timeout?: string | null;
            /** @description Zone in which `cron` is read; that of the server when absent. */
            timezone?: string | null;
            /** @description Whether it runs without items although connections lead to it. */
            trigger_when_empty?: boolean;
            wait?: components["schemas"]["FlowWaitSpec"] | null;
            /** @description Working directory of the process. */
            working_dir?: string | null;
            /** @description How long it rests when its body asks for that, as a duration; `1 sec` when absent. */
            yield?: string | null;
        };
        /** @description A queue between two components. */
        ConnectionSpec: {
            /** @description After how long in the flow an item is thrown away, as a duration; never when absent. */
            expire_after?: string | null;
            /** @description The component that puts items in. */
            from: string;
            /**
             * Format: int64
             * @description At how many bytes it is full; 1 GiB when absent, 0 for never.
             */
            max_bytes?: number | null;
            /**
             * Format: int64
             * @description At how many items it is full; 10,000 when absent, 0 for never.
             */
            max_items?: number | null;
            /** @description In which order items leave; at most 10. After these, in order of arrival. */
            prioritizers?: components["schemas"]["Prioritizer"][];
            relationships?: components["schemas"]["OneOrMany_String"] | null;
            /** @description The component that takes them. */
            to: string;
        };
        /** @description A range of each day. */
        DailyRange: {
            /** @description First time of day, `HH:MM`, `HH:MM:SS` or `HH:MM:SS.mmm`. */
            from: string;
            /** @description Removes what lies outside of the range instead. */
            invert?: boolean;
            /** @description Last time of day, included. */
            to: string;
        };
        /** @description An interval between two times of day. */
        DailyWindow: {
            days?: components["schemas"]["OneOrMany_Weekday"] | null;
            /** @description Interval, as a duration of whole seconds. */
            every: string;
            /** @description First time of day, `HH:MM` or `HH:MM:SS`; midnight when absent. */
            from?: string | null;
            /** @description Last time of day, included; 23:59:59 when absent. */
            to?: string | null;
        };
        /** @description The whole at a glance. It is made at most every two seconds, and for whoever asks meanwhile it is the same. */
        Dashboard: {
            /** @description What somebody should look at, the newest first. */
            attention: components["schemas"]["Attention"][];
            /** @description Sums over the range, and what there is now. */
            counters: components["schemas"]["DashboardCounters"];
            /**
             * @description Counters and series may lack a part of the namespace that is asked for: rollups count 64 namespaces apart in each span, and the others
             *     together.
             */
            counters_partial?: boolean;
            /** @description When its range begins. */
            from: components["schemas"]["Timestamp"];
            /** @description How late handlers were entered on nodes within the range; of all namespaces. */
            lateness: components["schemas"]["Lateness"];
            /** @description The runs that are executed for longest, longest first. */
            longest: components["schemas"]["LongRun"][];
            /** @description The fires of the next hour, in parts of five minutes. */
            next_hour: components["schemas"]["FirePeak"][];
            /** @description False: more triggers are due within the hour than were looked at, and counts are too low. */
            next_hour_complete: boolean;
            /** @description When it was made. */
            now: components["schemas"]["Timestamp"];
            /** @description What happened, oldest first, without a gap; the last point is not over yet. Nodes report every few seconds. */
            series: components["schemas"]["DashboardPoint"][];
            /**
             * Format: int64
             * @description How long each point of the series is, in milliseconds.
             */
            step_ms: number;
        };
        /** @description Sums over a range, and what there is now. */
        DashboardCounters: {
            /**
             * Format: int64
             * @description Runs that were cancelled.
             */
            cancelled: number;
            /**
             * Format: int64
             * @description Runs that failed.
             */
            failed: number;
            /**
             * Format: int64
             * @description Fire times that became runs.
             */
            fires: number;
            /**
             * Format: int32
             * @description The lateness that 99 of 100 handlers stayed below, in milliseconds; absent where none was entered.
             */
            late_p99_ms?: number | null;
            /**
             * Format: int64
             * @description Fire times that were missed.
             */
            missed: number;
            /**
             * Format: int64
             * @description Runs that are queued now; of the oldest 10,000 unfinished ones.
             */
            queued: number;
            /**
             * Format: int64
             * @description Runs that are executed now; of the oldest 10,000 unfinished ones.
             */
            running: number;
            /**
             * Format: int64
             * @description Runs that were skipped, and fires that an overlap policy suppressed.
             */
            skipped: number;
            /**
             * Format: int64
             * @description Runs that succeeded.
             */
            succeeded: number;
            /**
             * Format: int32
             * @description Workers that have joined.
             */
            workers: number;
            /**
             * Format: int32
             * @description Workers that were heard within the last 30 seconds.
             */
            workers_alive: number;
        };
        /** @description What happened within a part of the range. */
        DashboardPoint: {
            /** @description When it begins. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Runs that were cancelled.
             */
            cancelled: number;
            /**
             * Format: int64
             * @description Runs that failed.
             */
            failed: number;
            /**
             * Format: int64
             * @description Fire times that became runs.
             */
            fires: number;
            /**
             * Format: int32
             * @description The highest.
             */
            late_max_ms?: number | null;
            /**
             * Format: int32
             * @description The lateness that half of the handlers stayed below, in milliseconds; absent where none was entered on a node.
             */
            late_p50_ms?: number | null;
            /**
             * Format: int32
             * @description The lateness that 99 of 100 stayed below.
             */
            late_p99_ms?: number | null;
            /**
             * Format: int64
             * @description Fire times that were missed.
             */
            missed: number;
            /**
             * Format: int64
             * @description Runs that were skipped, and fires that an overlap policy suppressed.
             */
            skipped: number;
            /**
             * Format: int64
             * @description Runs that succeeded.
             */
            succeeded: number;
        };
        /** @description By when a run should have ended. */
        DeadlineSpec: {
            /** @description How long after the fire time, as a duration; after the time of asking where a run was asked for. */
            within: string;
        };
        /**
         * @description Where a delivery stands.
         * @enum {string}
         */
        DeliveryState: "pending" | "delivered" | "dead" | "unknown";
        /**
         * @description A task of another workflow that must end first, or a whole run of it. Which runs are meant follows from their logical dates and that
         *     of this run, and never from when something ended.
         *
         *     ```
         *     let need: mainspring_api::NeedSpec = serde_json::from_str(r#"{"workflow": "ingest", "task": "load", "at": "same"}"#)?;
         *     let mainspring_api::NeedSpec::Elsewhere(need) = need else { unreachable!() };
         *     assert_eq!(need.node(), "ingest:load@same");
         *     # Ok::<(), serde_json::Error>(())
         *     ```
         */
        ElsewhereSpec: {
            at?: components["schemas"]["NeedAt"] | null;
            /** @description In place of `at`: of the date that lies this far from that of the run, as a duration such as `1h`, or `-1d` for earlier ones. */
            offset?: string | null;
            on_missing?: components["schemas"]["OnMissing"] | null;
            /** @description Its task; the whole run when absent. */
            task?: string | null;
            /** @description How long to wait, as a duration: then it fails. Without limit when absent. */
            timeout?: string | null;
            /** @description The workflow, or another job, of the same namespace. */
            workflow: string;
        };
        /** @description Something that happened. */
        Event: {
            /** @description When. */
            at: components["schemas"]["Timestamp"];
            /** @description Details, by type. */
            data?: unknown;
            /** @description Id, for `Last-Event-ID`. */
            id: string;
            /** @description Job. */
            job?: string | null;
            /** @description Namespace. */
            namespace?: string | null;
            /** @description Run. */
            run?: string | null;
            /** @description Trigger, by name. */
            trigger?: string | null;
            /** @description What happened: `run.started`, `run.succeeded`, `fire.missed`, `job.updated`, `trigger.paused`, `node.left`, …. */
            type: string;
        };
        /** @description What can be written at a place of a query. */
        Facets: {
            /** @description False: there are more, or not all jobs were looked at. */
            complete: boolean;
            /** @description The values, the most frequent first, at most 50. */
            values: components["schemas"]["FacetValue"][];
            /**
             * Format: int64
             * @description How many jobs have no such value; absent where nothing is counted.
             */
            without?: number | null;
        };
        /** @description A value that a field has. */
        FacetValue: {
            /**
             * Format: int64
             * @description How many jobs have it; absent where nothing is counted.
             */
            count?: number | null;
            /** @description As it is written in a query, without quotes. */
            value: string;
        };
        /**
         * @description What becomes of the tasks that have not ended when one fails: `false` (those that do not need it go on), `true` (nothing
         *     starts any more) or `cancel` (what runs is cancelled, too).
         */
        FailFast: boolean | components["schemas"]["FailFastWord"];
        /**
         * @description What `fail_fast` may say beside `true` and `false`.
         * @enum {string}
         */
        FailFastWord: "off" | "cancel";
        /** @description A field that differs. */
        FieldChange: {
            /** @description Value after; absent when removed. */
            after?: unknown;
            /** @description Value before; absent when added. */
            before?: unknown;
            /** @description JSON pointer within the item. */
            pointer: string;
        };
        /**
         * @description What happens where a file of an item's name is there.
         * @enum {string}
         */
        FileConflict: "replace" | "fail" | "append";
        /** @description Which files become items. Their attributes are `file.name` and `file.folder`. */
        FileInSpec: {
            /** @description The folder, as an absolute path. Folders below and hidden files are left alone. */
            folder: string;
            /**
             * Format: int64
             * @description The most bytes of a file, 1 to 67,108,864; 16,777,216 when absent. Longer ones stay, and the log says so.
             */
            max_bytes?: number | null;
            /**
             * Format: int32
             * @description How many files one body takes at most, 1 to 10,000; 10 when absent.
             */
            max_files?: number | null;
            /** @description Folder to which files are moved once their items are kept, as an absolute path on the same disk; they are removed when absent. */
            move_to?: string | null;
            /** @description What names look like, with `*` for anything, such as `*.csv`; all when absent. */
            name?: string | null;
            /** @description How long a file must not have changed, as a duration; `1 sec` when absent. */
            settled?: string | null;
        };
        /** @description Where items are written. */
        FileOutSpec: {
            /** @description The folder, as an absolute path; it is made if it is not there. */
            folder: string;
            /** @description Name of an item's file, which may hold `${{ … }}` of `attributes`, `payload` and `bytes`, and folders below. */
            name: string;
            on_conflict?: components["schemas"]["FileConflict"] | null;
        };
        /** @description Fires that come together. */
        FirePeak: {
            /** @description When the five minutes begin. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description How many fires there are.
             */
            fires: number;
            /** @description The first jobs that fire then, three at most. */
            top: components["schemas"]["FirePeakJob"][];
        };
        /** @description A job that fires within a part of the hour. */
        FirePeakJob: {
            /** @description When it fires. */
            at: components["schemas"]["Timestamp"];
            /** @description Job. */
            job: string;
            /** @description Namespace. */
            namespace: string;
        };
        /**
         * @description Whether something could execute a run. In order of how good that is.
         * @enum {string}
         */
        Fit: "now" | "later" | "no" | "unknown";
        /** @description A flow with all that is known of it now. */
        Flow: {
            /** @description Its components, by name. */
            components: components["schemas"]["FlowComponent"][];
            /** @description Its queues. */
            connections: components["schemas"]["FlowConnection"][];
            /** @description Its name. */
            name: string;
            /** @description Its namespace. */
            namespace: string;
            /** @description The pools of the node that runs it. */
            pools: components["schemas"]["FlowPool"][];
            /** @description When it was saved last. */
            saved_at: components["schemas"]["Timestamp"];
            /** @description As it was written. */
            spec: components["schemas"]["FlowSpec"];
            /**
             * Format: int64
             * @description Counts its changes.
             */
            version: number;
            /** @description What is allowed and probably not meant, where it was just saved. */
            warnings?: components["schemas"]["Problem"][];
        };
        /**
         * @description What can be asked of components.
         * @enum {string}
         */
        FlowAction: "start" | "stop" | "run_once" | "terminate" | "disable" | "enable";
        /** @description A message about a component. */
        FlowBulletin: {
            /** @description When. */
            at: components["schemas"]["Timestamp"];
            /** @description `warn` or `error`. */
            level: string;
            /** @description What happened. */
            message: string;
        };
        /** @description What components of a flow are to do. */
        FlowChange: {
            /** @description What. */
            action: components["schemas"]["FlowAction"];
            /** @description Which, at most 10,000; all when absent. */
            components?: string[] | null;
        };
        /** @description What is wrong with a flow, and what is probably not meant. */
        FlowChecked: {
            /** @description What is wrong, with pointers that begin at the flow. */
            errors: components["schemas"]["Problem"][];
            /** @description Whether it can be saved. */
            valid: boolean;
            /** @description What is allowed and probably not meant. */
            warnings: components["schemas"]["Problem"][];
        };
        /** @description A component of a flow. */
        FlowComponent: {
            /**
             * Format: int32
             * @description Bodies that run, on all nodes.
             */
            active: number;
            /** @description Why it does not run, as one word: `yielded`, `not_leader`, `no_work`, `penalised`, `downstream_full`, `at_concurrency` or `terminated`. */
            blocked?: string | null;
            /** @description Messages about it, the newest first, for five minutes. */
            bulletins: components["schemas"]["FlowBulletin"][];
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes_in: number;
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes_out: number;
            /**
             * Format: int64
             * @description Items that it took in the last five minutes.
             */
            items_in: number;
            /**
             * Format: int64
             * @description Items that it put into queues in the last five minutes.
             */
            items_out: number;
            /** @description The key of the file that says what its body does, such as `run` or `route`. */
            kind: string;
            last_skip_at?: components["schemas"]["Timestamp"] | null;
            /** @description Why that was lost. */
            last_skip_reason?: string | null;
            /**
             * Format: int64
             * @description Times that passed while its body ran.
             */
            missed: number;
            /** @description Its name. */
            name: string;
            next_fire?: components["schemas"]["Timestamp"] | null;
            /** @description The same node by node, where it runs on every node of a cluster: first the node that owns the flow. */
            nodes?: components["schemas"]["FlowNode"][];
            /**
             * Format: int32
             * @description Bodies that wait for a permit of the pool.
             */
            queued: number;
            /**
             * @description What it is meant to do: `stopped`, `running`, `run_once` or `disabled`; `waiting_valid` where it was started and lacks what it
             *     needs, such as a job. It starts as soon as that is there.
             */
            state: string;
            /**
             * Format: int64
             * @description How long these ran together, in milliseconds.
             */
            task_ms: number;
            /**
             * Format: int64
             * @description Bodies that ended in the last five minutes.
             */
            tasks: number;
            /**
             * Format: int32
             * @description Bodies that were terminated and have not ended.
             */
            terminated: number;
            /** @description The same as a sentence. */
            why: string;
        };
        /** @description A queue between two components. */
        FlowConnection: {
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes: number;
            /** @description The component that puts items in. */
            from: string;
            /** @description Whether it is full, so that the component before it waits. */
            full: boolean;
            /**
             * Format: int64
             * @description Items that bodies have.
             */
            in_flight: number;
            /**
             * Format: int64
             * @description Items that it holds, those that bodies have included.
             */
            items: number;
            /**
             * Format: int64
             * @description At how many bytes it is full; 0 for never.
             */
            max_bytes: number;
            /**
             * Format: int64
             * @description At how many items it is full; 0 for never.
             */
            max_items: number;
            /** @description `FROM:TO`, and `:RELATIONSHIP` where that is not `success`. */
            name: string;
            /**
             * Format: int64
             * @description Items that are passed over until their penalty ends.
             */
            penalised: number;
            /**
             * Format: int32
             * @description How full it is, in hundredths of the nearer limit; more than 100 where a body has put in more than fits, 0 without a limit.
             */
            percent: number;
            /**
             * Format: int64
             * @description Items that can be taken now.
             */
            ready: number;
            /** @description Under which relationships. */
            relationships: string[];
            /** @description The component that takes them. */
            to: string;
        };
        /** @description What a component did in a minute. */
        FlowCounts: {
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes_in: number;
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes_out: number;
            /**
             * Format: int64
             * @description Items that it took.
             */
            items_in: number;
            /**
             * Format: int64
             * @description Items that it put into queues.
             */
            items_out: number;
            /**
             * Format: int64
             * @description How long these ran together, in milliseconds.
             */
            task_ms: number;
            /**
             * Format: int64
             * @description Bodies that ended.
             */
            tasks: number;
        };
        /** @description How many items were removed. */
        FlowDropped: {
            /**
             * Format: int64
             * @description How many.
             */
            items: number;
        };
        /** @description What a queue held at the end of a minute. */
        FlowHeld: {
            /**
             * Format: int64
             * @description Their bytes.
             */
            bytes: number;
            /**
             * Format: int64
             * @description Items, those of bodies included.
             */
            items: number;
        };
        /** @description An item that waits in a queue. */
        FlowItem: {
            /** @description Its attributes, where `contents` asks for them. */
            attributes?: {
                [key: string]: string;
            } | null;
            /**
             * Format: int64
             * @description Its bytes: those of payload and attributes.
             */
            bytes: number;
            /** @description When it entered the flow. */
            entered_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Its id, unique within the flow.
             */
            id: number;
            penalty_until?: components["schemas"]["Timestamp"] | null;
            /** @description The first 1,024 bytes of its payload as a text, where `contents` asks for them; bytes that are none are replaced. */
            preview?: string | null;
            /**
             * Format: int32
             * @description How often it was tried again.
             */
            retries: number;
        };
        /** @description Where an item is, and what it holds. */
        FlowItemContent: {
            /** @description Its attributes. */
            attributes: {
                [key: string]: string;
            };
            /** @description The connection that holds it; absent where a body has just ended its stay. */
            connection?: string | null;
            entered_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Whether a body has it. */
            in_flight: boolean;
            lineage_at?: components["schemas"]["Timestamp"] | null;
            /** @description The first 65,536 bytes of its payload as a text; bytes that are none are replaced. */
            payload: string;
            /**
             * Format: int64
             * @description Bytes of the whole payload.
             */
            payload_bytes: number;
            penalty_until?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int32
             * @description How often the component that takes it has tried it again.
             */
            retries: number;
            /** @description Whether the payload is longer than what is shown. */
            truncated: boolean;
        };
        /** @description A line of a component's log. */
        FlowLine: {
            /** @description When it was written. */
            at: components["schemas"]["Timestamp"];
            /** @description What it says. */
            text: string;
        };
        /** @description What a flow did in a minute. Minutes in which nothing happened are left out: queues are then as they were before. */
        FlowMinute: {
            /** @description When the minute began. */
            at: components["schemas"]["Timestamp"];
            /** @description What components did, by name. Those that did nothing are left out. */
            components: {
                [key: string]: components["schemas"]["FlowCounts"];
            };
            /** @description What queues held at its end, by name. Those that were empty are left out. */
            queues: {
                [key: string]: components["schemas"]["FlowHeld"];
            };
        };
        /**
         * @description What becomes of times that pass while the body runs.
         * @enum {string}
         */
        FlowMisfire: "skip" | "once" | "all";
        /** @description A component on one of the nodes that run it. */
        FlowNode: {
            /**
             * Format: int32
             * @description Bodies that run there.
             */
            active: number;
            /** @description Why it does not run there, as one word; see [`FlowComponent::blocked`]. */
            blocked?: string | null;
            /** @description The node: its name, or the process start where that is not known. */
            node: string;
            /**
             * Format: int64
             * @description How long these ran together, in milliseconds.
             */
            task_ms: number;
            /**
             * Format: int64
             * @description Bodies that ended there in the last five minutes.
             */
            tasks: number;
            /**
             * Format: int64
             * @description Items that were made there and wait for the node that owns the flow.
             */
            waiting: number;
        };
        /**
         * @description Where a component runs.
         * @enum {string}
         */
        FlowPlacement: "one" | "leader" | "every_node";
        /** @description A pool of permits, of which each body takes one. */
        FlowPool: {
            /**
             * Format: int32
             * @description How many are taken.
             */
            active: number;
            /** @description Its name. */
            name: string;
            /**
             * Format: int32
             * @description How many permits there are.
             */
            size: number;
        };
        /** @description How large a pool is to be. */
        FlowPoolSize: {
            /**
             * Format: int32
             * @description How many permits each node has, 1 to 10,000.
             */
            size: number;
        };
        /** @description How many queues an item was put into. */
        FlowPut: {
            /**
             * Format: int64
             * @description How many items there are of it now: one for each connection; none where its relationship ends.
             */
            items: number;
        };
        /** @description Which items are to go back, and to where. */
        FlowReplay: {
            /** @description Their ids, at most 10,000; all that wait when absent. */
            items?: number[] | null;
            /** @description The connection that they go to; when absent, the one that leads to the component from which they came. */
            to?: string | null;
        };
        /** @description How many items went back. */
        FlowReplayed: {
            /**
             * Format: int64
             * @description How many.
             */
            items: number;
        };
        /**
         * @description Who waits before an item is tried again.
         * @enum {string}
         */
        FlowRetryMode: "penalize" | "yield";
        /**
         * @description A flow: components that pass items on, and the queues between them.
         *
         *     ```
         *     let spec: mainspring_api::FlowSpec = serde_json::from_str(
         *         r#"{"flow": "hello",
         *             "components": {"make": {"generate": {"payload": "hi"}, "schedule": "10 sec"}, "log": {"log": {}, "end": "success"}},
         *             "connections": [{"from": "make", "to": "log"}]}"#,
         *     )?;
         *     assert_eq!(spec.connections[0].to, "log");
         *     assert_eq!(mainspring_api::check_flow(&spec), []);
         *     # Ok::<(), serde_json::Error>(())
         *     ```
         */
        FlowSpec: {
            /** @description Its components by name; at most 10,000. */
            components: {
                [key: string]: components["schemas"]["ComponentSpec"];
            };
            /** @description The queues between them; at most 50,000. */
            connections?: components["schemas"]["ConnectionSpec"][];
            /** @description What it is for, in the user's words. */
            description?: string | null;
            /** @description Its name, unique within its namespace. */
            flow: string;
            /** @description Where its name is unique; `default` when absent. */
            namespace?: string | null;
        };
        /** @description A flow in a list. */
        FlowSummary: {
            /**
             * Format: int32
             * @description How many components it has.
             */
            components: number;
            /** @description What it is for. */
            description?: string | null;
            /** @description Its name. */
            name: string;
            /** @description Its namespace. */
            namespace: string;
            /**
             * Format: int32
             * @description How many of these are to run.
             */
            running: number;
            /** @description When it was saved last. */
            saved_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Counts its changes.
             */
            version: number;
        };
        /** @description How long items wait: `for` or `until`. */
        FlowWaitSpec: {
            /** @description So long from when the component first sees them, as a duration. */
            for?: string | null;
            /** @description Until this instant in RFC 3339, which may be made with `${{ … }}` of `attributes`, `payload` and `bytes`. */
            until?: string | null;
        };
        /** @description Instants of a trigger that did not fire: one, or a range. Every instant is a run's or in one of these. */
        Gap: {
            /** @description The latest backfill that has run instants of it. */
            backfill?: string | null;
            /**
             * Format: int64
             * @description How many of the instants backfills have run.
             */
            backfilled?: number;
            /**
             * Format: int64
             * @description How many there are.
             */
            count: number;
            /** @description The first of the instants. */
            first: components["schemas"]["Timestamp"];
            /** @description Position among all gaps. */
            id: string;
            /** @description The last of the instants. */
            last: components["schemas"]["Timestamp"];
            /** @description `missed` or `suppressed`. */
            outcome: string;
            /** @description The policy that allowed it. */
            policy: string;
            /** @description `misfire`, `catch_up_cap`, `overlap`, `paused`, `changed` or `deleted`. */
            reason: string;
            /** @description When it was recorded. */
            recorded_at: components["schemas"]["Timestamp"];
            /** @description `namespace/job/trigger`. */
            trigger: string;
        };
        /** @description What a `generate` component makes. */
        GenerateSpec: {
            /** @description Attributes of each item; at most 1,000. */
            attributes?: {
                [key: string]: string;
            };
            /**
             * Format: int32
             * @description How many items one body makes, 1 to 10,000; 1 when absent.
             */
            count?: number | null;
            /** @description Payload of each item; empty when absent. */
            payload?: string | null;
        };
        /** @description A task of a workflow as it is defined. */
        GraphTask: {
            /** @description Whether its failure counts as success. */
            continue_on_error?: boolean;
            /** @description Whether it runs when all others have ended. */
            finally?: boolean;
            /** @description Group that it lies in. */
            group?: string | null;
            /** @description Condition that is asked before it runs. */
            if?: string | null;
            /**
             * @description What it does: `run`, `exec`, `http`, `handler`, `noop`, `wait`, `approval`, `workflow`, `external` where it waits for another
             *     workflow, or `group` where it stands for a group: then it needs the tasks of that.
             */
            kind: string;
            /** @description Name. */
            name: string;
            /** @description Tasks that must end first. */
            needs?: string[];
            /** @description `matrix` or `map`, where it runs more than once. */
            spread?: string | null;
            /** @description When it may run, given how these ended. */
            trigger_rule: components["schemas"]["TriggerRule"];
            /**
             * Format: int32
             * @description From 1: one more than the latest wave of the tasks that it needs.
             */
            wave: number;
            /** @description Workflow or job that it starts. */
            workflow?: string | null;
        };
        /**
         * @description A group of tasks: those whose `group` names it. Tasks that need the group need all of them.
         *
         *     ```
         *     let spec: mainspring_api::JobSpec = serde_json::from_str(
         *         r#"{"name": "etl", "groups": {"load": {}}, "tasks": {"eu": {"group": "load", "noop": true}, "sum": {"needs": "load", "noop": true}}}"#,
         *     )?;
         *     assert_eq!(spec.members()["load"], ["eu"]);
         *     # Ok::<(), serde_json::Error>(())
         *     ```
         */
        GroupSpec: {
            defaults?: components["schemas"]["TaskSpec"] | null;
            /** @description What the group is for, in the user's words. */
            description?: string | null;
            /** @description Group that this one lies in; at most 10 lie in each other. */
            group?: string | null;
            /** @description Expression `${{ … }}` that is true or false, asked before each of its first tasks, which is skipped when false. */
            if?: string | null;
            needs?: components["schemas"]["OneOrMany_NeedSpec"] | null;
            trigger_rule?: components["schemas"]["TriggerRule"] | null;
        };
        /** @description Whether a server can serve. */
        Health: {
            /** @description What was looked at; only with `?verbose`. */
            checks?: components["schemas"]["HealthCheck"][];
            /** @description The verdict. */
            status: components["schemas"]["HealthStatus"];
        };
        /** @description One thing that was looked at. */
        HealthCheck: {
            /** @description What is wrong, without secrets. */
            message?: string | null;
            /** @description What: `store`, `migrations`, `engine`, `cluster`. */
            name: string;
            /** @description Whether it is well. */
            ok: boolean;
        };
        /**
         * @description Verdict on a server.
         * @enum {string}
         */
        HealthStatus: "ok" | "draining" | "failing" | "unknown";
        /** @description What a component takes from requests. */
        HttpInSpec: {
            /**
             * Format: int64
             * @description The most bytes of a payload, 1 to 16,777,216; 1,048,576 when absent.
             */
            max_bytes?: number | null;
        };
        /**
         * @description An HTTP request; the run succeeds when the status is an expected one.
         *
         *     Loopback, private and link-local addresses are refused unless the server's settings allow them.
         */
        HttpTask: {
            /** @description Request body: text is sent as it is, anything else as JSON. */
            body?: unknown;
            expect?: components["schemas"]["OneOrMany_Status"] | null;
            /** @description Request headers, at most 250. */
            headers?: {
                [key: string]: string;
            };
            /**
             * Format: int32
             * @description Redirects that are followed, 0 to 3; 3 when absent.
             */
            max_redirects?: number | null;
            /** @description Method; `GET` when absent. */
            method?: string | null;
            /** @description Time the exchange may take, as a duration; 30 s when absent. */
            timeout?: string | null;
            /** @description `http://` or `https://` address. */
            url: string;
            /** @description Whether the server's certificate is checked; `true` when absent. */
            verify_tls?: boolean | null;
        };
        /**
         * @description Calendar units, as in Quartz's `DateBuilder.IntervalUnit`.
         * @enum {string}
         */
        IntervalUnit: "second" | "minute" | "hour" | "day" | "week" | "month" | "year";
        /**
         * @description Kind of an item.
         * @enum {string}
         */
        ItemKind: "calendar" | "job";
        /** @description A job with what the server knows about it. */
        Job: {
            /**
             * Format: int32
             * @description Unfinished runs.
             */
            active_runs: number;
            /** @description When it was first saved. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When each of its triggers fires, in words, in the order of the definition and the language that `Accept-Language` asks for. */
            explanations?: string[];
            /** @description Jobs that start when its runs end, by their names, where one job is asked for. */
            followed_by?: string[];
            /** @description Id, stable across renames. */
            id: string;
            last_run?: components["schemas"]["RunSummary"] | null;
            /** @description Name. */
            name: string;
            /** @description Namespace. */
            namespace: string;
            next_fire_at?: components["schemas"]["Timestamp"] | null;
            /** @description What is wrong with it that somebody is told of. */
            open_alerts?: components["schemas"]["OpenAlert"][];
            /** @description Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause. */
            pause_reason?: string | null;
            /** @description No trigger of the job fires while true. */
            paused: boolean;
            paused_at?: components["schemas"]["Timestamp"] | null;
            /** @description Who paused it: what the caller said of itself, and with what it was let in. */
            paused_by?: string | null;
            /** @description Its newest runs, newest first: as many as `recent` asked for. */
            recent?: components["schemas"]["RunSummary"][];
            /** @description The definition as it was saved. */
            spec: components["schemas"]["JobSpec"];
            /** @description When this version was saved. */
            updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Version: 1 at first, one more with each save. For `If-Match`.
             */
            version: number;
            /** @description In answers to `PUT` and `PATCH`: what is allowed and probably not meant. */
            warnings?: components["schemas"]["Problem"][];
        };
        /** @description What a job keeps between its runs. */
        JobData: {
            changed_at?: components["schemas"]["Timestamp"] | null;
            /** @description What the next run is given: an object, `{}` at first. */
            data: unknown;
            /**
             * Format: int64
             * @description Counts the changes; 0 at first. For `If-Match`.
             */
            revision: number;
            /** @description The run that left it; absent where somebody has set it, and at first. */
            run?: string | null;
        };
        /** @description The graph of a workflow. */
        JobGraph: {
            /**
             * Format: int64
             * @description How many edges there are between them.
             */
            edges: number;
            /** @description Name of the workflow. */
            job: string;
            /** @description A longest chain of tasks that need each other. */
            longest_path: string[];
            /** @description Namespace. */
            namespace: string;
            /** @description Tasks, in the order of their names. */
            tasks: components["schemas"]["GraphTask"][];
            /**
             * Format: int64
             * @description Version that is shown.
             */
            version: number;
            /**
             * Format: int32
             * @description How many groups of tasks follow each other at least.
             */
            waves: number;
        };
        /** @description Who could execute the next run of a job, if it came now, and why the others could not. */
        JobMatch: {
            /** @description What keeps its runs back, whoever could execute them: a pause, a limit. */
            held_by?: components["schemas"]["WhyReason"][];
            /** @description The job. */
            job: string;
            /** @description Labels that the job asks of workers. */
            labels?: {
                [key: string]: string;
            };
            /** @description Namespace of the job. */
            namespace: string;
            /** @description The queue in which its runs wait. */
            queue: string;
            /** @description Servers and workers, those first that could execute it. */
            takers: components["schemas"]["Taker"][];
        };
        /**
         * @description A job: what to do, when, and under which policies.
         *
         *     Exactly one of `run`, `exec`, `script`, `http`, `handler`, `xxl` and `noop` says what to do. Without `schedule`
         *     and `triggers` the job runs only when asked.
         *
         *     ```
         *     let spec: mainspring_api::JobSpec = serde_json::from_str(
         *         r#"{"name": "backup", "schedule": "30 2 * * *", "timezone": "Asia/Shanghai", "run": "pg_dump app"}"#,
         *     )?;
         *     assert_eq!(spec.triggers_in_order()[0].1.cron.as_deref(), Some("30 2 * * *"));
         *     # Ok::<(), serde_json::Error>(())
         *     ```
         */
        JobSpec: {
            /** @description Who is told when the job goes wrong; at most 50. */
            alerts?: components["schemas"]["AlertSpec"][];
            /** @description Calendar of the triggers that name none. */
            calendar?: string | null;
            deadline?: components["schemas"]["DeadlineSpec"] | null;
            defaults?: components["schemas"]["TaskSpec"] | null;
            /** @description What the job is for, in the user's words. */
            description?: string | null;
            /** @description Environment variables of the process; at most 1,000. */
            env?: {
                [key: string]: string;
            };
            /** @description Task: a program and its arguments, without a shell; at most 10,000. */
            exec?: string[] | null;
            fail_fast?: components["schemas"]["FailFast"] | null;
            /** @description Groups of tasks by name, each of which others can need as one; at most 10,000. */
            groups?: {
                [key: string]: components["schemas"]["GroupSpec"];
            };
            /** @description Task: a function registered under this name by a worker or an embedding program. */
            handler?: string | null;
            http?: components["schemas"]["HttpTask"] | null;
            /** @description JSON that each run receives. Processes see the members of an object as `MS_PARAM_<NAME>` too. */
            input?: unknown;
            /** @description Whether each run is given the data that the last one that succeeded has left (Quartz: `PersistJobDataAfterExecution`). */
            keep_data?: boolean | null;
            /** @description Keys and values to select jobs by; at most 250. */
            labels?: {
                [key: string]: string;
            };
            leftovers?: components["schemas"]["Leftovers"] | null;
            logical_date?: components["schemas"]["LogicalDate"] | null;
            /**
             * Format: int32
             * @description Unfinished runs at once; 1 when absent and `overlap` is not `allow`.
             */
            max_active?: number | null;
            misfire?: components["schemas"]["Misfire"] | null;
            /** @description Name, unique in its namespace: 1 to 128 letters, digits, `.`, `_` or `-`, beginning with a letter or digit. */
            name: string;
            /** @description Namespace; else that of the file, else that of the command, else `default`. */
            namespace?: string | null;
            /** @description Task: `true` does nothing and succeeds. */
            noop?: boolean;
            on_lost?: components["schemas"]["OnLost"] | null;
            /**
             * @description What a workflow run that succeeds leaves: values by name, as texts whose `${{ needs.TASK.outputs.NAME }}` may name any task; at
             *     most 1,000.
             */
            outputs?: {
                [key: string]: string;
            };
            overlap?: components["schemas"]["Overlap"] | null;
            /** @description Who answers for the job: a person or a team, such as `data-platform`; 1 to 128 characters. Lists show it and find jobs by it. */
            owner?: string | null;
            /** @description Members of `input` that whoever starts a run may set, with their types and defaults; at most 250. */
            params?: {
                [key: string]: components["schemas"]["ParamSpec"];
            };
            /** @description No trigger of the job fires while true. */
            paused?: boolean | null;
            /**
             * Format: int32
             * @description Higher starts first within a queue; 5 when absent.
             */
            priority?: number | null;
            /** @description Queue in which runs wait for a worker; `default` when absent. */
            queue?: string | null;
            /**
             * Format: int32
             * @description Further attempts after a failed one, 0 to 1,000; none when absent.
             */
            retries?: number | null;
            retry_backoff?: components["schemas"]["Backoff"] | null;
            /** @description Pause before each further attempt, as a duration; none when absent. */
            retry_delay?: string | null;
            /** @description Up to this much is added to each pause, as a duration, so that many runs do not return at once. */
            retry_jitter?: string | null;
            /** @description Longest pause of an `exponential` backoff, as a duration; 1 h when absent, or `retry_delay` if that is longer. */
            retry_max_delay?: string | null;
            retry_on?: components["schemas"]["OneOrMany_RetryOn"] | null;
            routing?: components["schemas"]["Routing"] | null;
            /**
             * @description Where in a run's input the key is by which it keeps to one worker: the name of a member, or a JSON pointer. For
             *     `consistent_hash`, which it stands for when `routing` is absent.
             */
            routing_key?: string | null;
            /** @description Task: a line for `/bin/sh`. */
            run?: string | null;
            /**
             * @description Time a whole run may take from the start of its first attempt, as a duration, over all attempts and the pauses between
             *     them; without limit when absent.
             */
            run_timeout?: string | null;
            schedule?: components["schemas"]["OneOrMany_ScheduleEntry"] | null;
            script?: components["schemas"]["ScriptSpec"] | null;
            /**
             * @description Time a run may wait for its first attempt, as a duration; then it is skipped with the reason `expired`. Without limit
             *     when absent.
             */
            start_timeout?: string | null;
            /** @description Tasks of a workflow by name, instead of one task of the job's own; at most 100,000. */
            tasks?: {
                [key: string]: components["schemas"]["TaskSpec"];
            };
            /** @description Time an attempt may take, as a duration; without limit when absent. */
            timeout?: string | null;
            /** @description IANA time zone of the triggers that name none; else the server's default. */
            timezone?: string | null;
            /** @description When to run, as named triggers; instead of `schedule`. At most 250. */
            triggers?: components["schemas"]["TriggerSpec"][];
            /** @description Labels that a worker must have to get runs of the job: every pair. At most 100, as many as a worker has. */
            workers?: {
                [key: string]: string;
            };
            /** @description Working directory of the process; a private empty one when absent. */
            working_dir?: string | null;
            xxl?: components["schemas"]["XxlTask"] | null;
        };
        /** @description A version of a job. */
        JobVersion: {
            /** @description It is the one that fires now. */
            current: boolean;
            /** @description The same as a job file in YAML; absent in lists. */
            file?: string | null;
            /** @description When it was saved. */
            saved_at: components["schemas"]["Timestamp"];
            /**
             * @description Who saved it: the name that the caller gave, and with what it was let in. The server notes the name and cannot check it.
             *     Absent where nothing was noted: a version of an older mainspring, or of a program that embeds it.
             */
            saved_by?: string | null;
            saved_from?: components["schemas"]["SavedFrom"] | null;
            /** @description What it says. To restore it, save this: it becomes a new version. */
            spec: components["schemas"]["JobSpec"];
            /**
             * Format: int64
             * @description Its number.
             */
            version: number;
        };
        /** @description A label of jobs whose runs are limited, whatever their queues and namespaces. */
        LabelLimit: {
            /** @description `NAME=VALUE`. */
            label: string;
            /**
             * Format: int32
             * @description Runs that are executed at a time, over all nodes and workers.
             */
            max_running: number;
            /**
             * Format: int32
             * @description Runs that are executed and count.
             */
            running: number;
        };
        /** @description The limit of a label. */
        LabelSettings: {
            /**
             * Format: int32
             * @description Runs that are executed at a time, over all nodes and workers; at least 1.
             */
            max_running: number;
        };
        /** @description Figures of lateness in milliseconds, at most a fifth too high; absent where no handler was entered. */
        Lateness: {
            /**
             * Format: int64
             * @description Handlers entered.
             */
            entered: number;
            /**
             * Format: int32
             * @description The highest, exactly.
             */
            max_ms?: number | null;
            /**
             * Format: int32
             * @description What half of them stayed below.
             */
            p50_ms?: number | null;
            /**
             * Format: int32
             * @description What 99 of 100 stayed below.
             */
            p99_ms?: number | null;
            /** @description How many were how late, exactly: from none to the highest, without a gap. Bounds are 1, 2, 4 ms and so on. */
            spread?: components["schemas"]["LatenessPart"][];
        };
        /** @description How many handlers were entered so late. */
        LatenessPart: {
            /**
             * Format: int64
             * @description They were below this lateness, in milliseconds, and not below the bound of the part before.
             */
            below_ms: number;
            /**
             * Format: int64
             * @description How many.
             */
            count: number;
        };
        /**
         * @description What becomes of processes that a program leaves running when it ends by itself.
         * @enum {string}
         */
        Leftovers: "kill" | "warn" | "keep";
        /**
         * @description Something of a topic has changed: the data of `event: change`. There are at most four of a topic in a second, so one may stand for
         *     many changes.
         */
        LiveChange: {
            /**
             * Format: int32
             * @description How many things have changed; absent where that was not counted, because there were too many.
             */
            count?: number | null;
            /** @description What has changed, where that is one thing: a run, or `NAMESPACE/NAME` of a job or flow. */
            id?: string | null;
            /** @description Each of them, where there are 2 to 50. Otherwise look at all again. */
            items?: components["schemas"]["LiveItem"][];
            /** @description Its members that are known to be different now. Of a run: `state`, `namespace`, `job`. */
            patch?: unknown;
            /**
             * Format: int64
             * @description Position within this stream's node. Events of a quarter of a second share one.
             */
            seq: number;
            /** @description The topic. */
            topic: string;
        };
        /** @description One of several things that have changed. */
        LiveItem: {
            /** @description A run, or `NAMESPACE/NAME` of a job or flow. */
            id: string;
            /** @description Its members that are known to be different now. */
            patch?: unknown;
        };
        /** @description Where to begin to read the log of an attempt that failed. */
        LogError: {
            /**
             * Format: int32
             * @description The attempt; 0 if the run has none yet.
             */
            attempt: number;
            /**
             * Format: int64
             * @description How many lines of the level `error` there are, as far as the search came.
             */
            count: number;
            /** @description The whole log of the attempt was searched. False: two seconds were over before. */
            done: boolean;
            first?: components["schemas"]["LogLine"] | null;
        };
        /** @description What was found in a log. */
        LogFound: {
            /**
             * Format: int64
             * @description How many lines match from `from_line` on, as far as the search came.
             */
            count: number;
            /**
             * @description All lines from `from_line` on were searched. False: two seconds were over before. Go on from the line after
             *     `searched_through`.
             */
            done: boolean;
            /** @description The first lines that match, in order. */
            matches: components["schemas"]["LogMatch"][];
            /**
             * Format: int64
             * @description `from_line` that lists the next matches; absent where none is left.
             */
            next_line?: number | null;
            /**
             * Format: int64
             * @description Number of the last line that was searched.
             */
            searched_through: number;
            /**
             * Format: int64
             * @description Number of the last line there is so far, of the attempt or of the run.
             */
            total_lines: number;
        };
        /**
         * @description Which end of its data interval a run is named after.
         * @enum {string}
         */
        LogicalDate: "fire" | "start";
        /** @description A link that signs one browser in, once. */
        LoginLink: {
            /** @description When it opens nothing any more, if it has not been used before. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description To be opened in a browser. The code is behind the `#`, which no browser sends with a request. */
            url: string;
        };
        /**
         * @description How grave a log line is.
         * @enum {string}
         */
        LogLevel: "debug" | "info" | "warn" | "error" | "unknown";
        /** @description A line of a log. */
        LogLine: {
            /** @description When it was written. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: int32
             * @description Attempt.
             */
            attempt: number;
            level?: components["schemas"]["LogLevel"] | null;
            /**
             * Format: int64
             * @description Number within the run, from 1.
             */
            line: number;
            /** @description Where it was written. */
            stream: components["schemas"]["LogStream"];
            /** @description The text, without line end; what was not UTF-8 is replaced. Escape sequences of terminals are kept. */
            text: string;
            /** @description The rest of the line was dropped. */
            truncated?: boolean;
        };
        /** @description A line that matches. */
        LogMatch: {
            /** @description When it was written. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: int32
             * @description Attempt.
             */
            attempt: number;
            /**
             * Format: int64
             * @description Number within the run, from 1.
             */
            line: number;
            /** @description Where in `text` it matches, at most 100 times: begin and end, in UTF-16 units as JavaScript counts them. */
            ranges: number[][];
            /** @description Where it was written. */
            stream: components["schemas"]["LogStream"];
            /** @description The text without escape sequences. Of a long line the first 2,000 characters after its first match, and a little before it. */
            text: string;
        };
        /** @description A part of a log. */
        LogPage: {
            /** @description The run is final and this is the end of its log. */
            complete: boolean;
            /**
             * Format: int64
             * @description Number of the first line that the query can show: that of the attempt, or 1.
             */
            first_line?: number;
            /** @description The lines, in order. */
            lines: components["schemas"]["LogLine"][];
            /**
             * Format: int64
             * @description `from_line` of the next part.
             */
            next_line: number;
            /**
             * Format: int64
             * @description Number of the last line there is so far, of the attempt or of the run; less than `first_line` while there is none.
             */
            total_lines?: number;
            /** @description Lines were dropped because the log reached its limit. */
            truncated: boolean;
        };
        /** @description What a `log` component writes. */
        LogSpec: {
            /** @description The line, which may hold `${{ … }}` of `attributes`, `payload` and `bytes`; attributes and size when absent. */
            message?: string | null;
        };
        /**
         * @description Where a log line was written.
         * @enum {string}
         */
        LogStream: "stdout" | "stderr" | "system" | "unknown";
        /** @description A run that is executed for long. */
        LongRun: {
            /** @description Job. */
            job: string;
            /** @description Namespace. */
            namespace: string;
            /**
             * Format: int64
             * @description What nineteen of twenty of the job's last runs stayed below, in milliseconds; absent if fewer than five are known.
             */
            p95_ms?: number | null;
            /** @description The run. */
            run: string;
            /**
             * Format: int64
             * @description For how long it has been executed, in milliseconds.
             */
            running_ms: number;
            /** @description When its latest attempt was claimed. */
            started_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description What a task may be marked as.
         * @enum {string}
         */
        Marked: "succeeded" | "failed";
        /**
         * @description What kind of reason it is why something could not execute a run.
         * @enum {string}
         */
        MatchCode: "other_queue" | "labels_missing" | "workers_only" | "draining" | "full" | "slow_share" | "silent" | "ask_it" | "unknown";
        /** @description Why a server or worker could not execute a run, or not now. */
        MatchReason: {
            /** @description What kind of reason. */
            code: components["schemas"]["MatchCode"];
            /** @description The reason, for people. */
            message: string;
        };
        /** @description How items become one. It has the attributes that all of them have alike, and `merge.count`. */
        MergeSpec: {
            /** @description Attribute by whose value they belong together; all of a turn when absent. */
            by?: string | null;
            /**
             * Format: int32
             * @description How many items become one at most, 1 to 10,000; 1,000 when absent.
             */
            max?: number | null;
            /**
             * Format: int64
             * @description How many bytes of payloads and attributes become one at most, 1 to 67,108,864; 16,777,216 when absent. As many are enough,
             *     whatever `min` says. An item that is larger is passed on alone.
             */
            max_bytes?: number | null;
            /**
             * Format: int32
             * @description How many have to be there; as many as `max` when absent. A queue that is full is enough in any case.
             */
            min?: number | null;
            /** @description What stands between their payloads; a line break when absent. */
            separator?: string | null;
            /** @description After how long fewer will do, as a duration from when the first one is there; `1 sec` when absent. */
            within?: string | null;
        };
        /**
         * @description Misfire policies, under Quartz's names.
         *
         *     `every` and `at` know `fire_now` and the four with a count, the other kinds `fire_once_now` and
         *     `do_nothing`; `smart` and `ignore` fit all.
         * @enum {string}
         */
        Misfire: "smart" | "ignore" | "fire_once_now" | "do_nothing" | "fire_now" | "now_with_existing_count" | "now_with_remaining_count" | "next_with_remaining_count" | "next_with_existing_count";
        /** @description Instants of a trigger that did not fire: one, or a range. */
        MisfireItem: {
            /** @description The latest backfill that has run instants of it. */
            backfill?: string | null;
            /**
             * Format: int64
             * @description How many of the instants backfills have run.
             */
            backfilled?: number;
            /** @description Why: as in the filter. */
            cause: string;
            /**
             * Format: int64
             * @description How many there are.
             */
            count: number;
            /** @description The first of the instants. */
            first: components["schemas"]["Timestamp"];
            /** @description Position among all of them. */
            id: string;
            /** @description Job. */
            job: string;
            /** @description The last of the instants. */
            last: components["schemas"]["Timestamp"];
            /** @description Namespace. */
            namespace: string;
            /** @description `missed`, or `suppressed` by an overlap policy or a full queue. */
            outcome: string;
            /** @description The policy that allowed it. */
            policy: string;
            /** @description When it was recorded. */
            recorded_at: components["schemas"]["Timestamp"];
            /** @description Trigger, by name; absent if it is gone for long. */
            trigger?: string | null;
        };
        /** @description Misfires, the newest first. A page may have fewer than `limit`, or none, and a `next_cursor`: the search goes on there. */
        Misfires: {
            /** @description The misfires. */
            items: components["schemas"]["MisfireItem"][];
            /** @description What `cursor` gets the next page; absent on the last one. */
            next_cursor?: string | null;
            summary?: components["schemas"]["MisfireSummary"] | null;
        };
        /** @description What was not fired within a time. */
        MisfireSummary: {
            /** @description False: there are more records than were looked at, and sums are too low. */
            complete: boolean;
            /**
             * Format: int64
             * @description Instants that were missed.
             */
            missed: number;
            /** @description Times in which instants passed without anybody to fire them, the newest first, five at most. */
            outages: components["schemas"]["Outage"][];
            /** @description The same by the policy that let them pass, the most first. */
            policies?: components["schemas"]["PolicyMisfires"][];
            /**
             * Format: int64
             * @description Instants that an overlap policy or a full queue suppressed.
             */
            suppressed: number;
        };
        /** @description Where names are unique and access is granted. */
        Namespace: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What it is for, in the user's words. */
            description?: string | null;
            /** @description Id, stable across renames. */
            id: string;
            /**
             * Format: int64
             * @description Number of jobs.
             */
            job_count: number;
            /** @description Name, unique in the cluster. */
            name: string;
            /** @description No trigger of the namespace fires while true. */
            paused: boolean;
            /**
             * Format: int64
             * @description Version, for `If-Match`.
             */
            version: number;
        };
        /** @description What `PUT` of a namespace takes: nothing in this version. */
        NamespaceSpec: Record<string, never>;
        /**
         * @description Which runs of another workflow a task needs, by the date of its own.
         * @enum {string}
         */
        NeedAt: "same" | "covers" | "previous";
        /** @description A fire time to come, of a trigger that exists. */
        NextFire: {
            /** @description The instant plus jitter. */
            due_at: components["schemas"]["Timestamp"];
            /** @description The schedule in words. */
            explanation: string;
            /** @description The instant of the schedule. */
            fire_at: components["schemas"]["Timestamp"];
            /** @description Job. */
            job: string;
            last_run?: components["schemas"]["RunSummary"] | null;
            /** @description Namespace. */
            namespace: string;
            /** @description Zone of the trigger. */
            timezone: string;
            /** @description Trigger, by name. */
            trigger: string;
        };
        /** @description A server process with an engine. What only the process itself knows is there for the node that answers. */
        Node: {
            /** @description Where its API answers. */
            address?: string | null;
            /**
             * Format: int64
             * @description How long it waits for answers of the database: the shortest of the last three.
             */
            answer_ms?: number | null;
            /** @description Whether it is the one that answers. */
            answering?: boolean;
            /**
             * Format: int64
             * @description How long the database takes when the node claims runs from queues, in microseconds: half of the last 64 claims stayed below.
             */
            claim_us?: number | null;
            /**
             * Format: int64
             * @description Its clock minus the database's.
             */
            clock_offset_ms?: number | null;
            /** @description Whether it has been asked to drain. */
            drain_asked?: boolean;
            /** @description Incarnation: random id of this process start. */
            id: string;
            /** @description Name: the host's unless set. */
            name: string;
            renewed_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int32
             * @description Shards it owns.
             */
            shards: number;
            /**
             * Format: int64
             * @description For how long it has not renewed its lease, as the node that answers sees it. After 5 s its shards are taken.
             */
            silent_ms?: number;
            /**
             * Format: int32
             * @description Slots of its worker pool.
             */
            slots?: number | null;
            /**
             * Format: int32
             * @description Slots in use.
             */
            slots_used?: number | null;
            started_at?: components["schemas"]["Timestamp"] | null;
            /** @description Whether it takes shards. */
            state: components["schemas"]["NodeState"];
            /** @description Version of its time zone data. */
            tzdata?: string | null;
            /** @description Version of mainspring. */
            version: string;
        };
        /** @description How late handlers were entered on one node. */
        NodeLateness: {
            at?: components["schemas"]["Timestamp"] | null;
            /** @description The figures. */
            lateness: components["schemas"]["Lateness"];
            /** @description Name. */
            name: string;
            /** @description Incarnation. */
            node: string;
        };
        /**
         * @description Whether a node takes shards.
         * @enum {string}
         */
        NodeState: "active" | "draining" | "clock_off" | "far" | "joining" | "unknown";
        /**
         * @description What becomes of a time at which the component may not run.
         * @enum {string}
         */
        OnBlocked: "skip" | "defer";
        /** @description One value, or a list of them. */
        OneOrMany_NeedSpec: (string | components["schemas"]["ElsewhereSpec"])[] | (string | components["schemas"]["ElsewhereSpec"]);
        /** @description One value, or a list of them. */
        OneOrMany_RetryOn: (number | string)[] | (number | string);
        /** @description One value, or a list of them. */
        OneOrMany_ScheduleEntry: (string | components["schemas"]["TriggerSpec"])[] | (string | components["schemas"]["TriggerSpec"]);
        /** @description One value, or a list of them. */
        OneOrMany_Status: (number | string)[] | (number | string);
        /** @description One value, or a list of them. */
        OneOrMany_String: string[] | string;
        /** @description One value, or a list of them. */
        OneOrMany_u8: number[] | number;
        /** @description One value, or a list of them. */
        OneOrMany_Weekday: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun");
        /**
         * @description What becomes of a run whose worker died.
         * @enum {string}
         */
        OnLost: "fail" | "retry";
        /**
         * @description What becomes of a need while there is no run of the other workflow for its date.
         * @enum {string}
         */
        OnMissing: "wait" | "succeed" | "skip" | "fail";
        /**
         * @description What becomes of a task for whose approval nobody decides in time.
         * @enum {string}
         */
        OnTimeout: "fail" | "skip" | "approve";
        /** @description Something that is wrong with a job, and that a rule wants to be told. */
        OpenAlert: {
            /** @description The channels that were told. */
            channels?: string[];
            /** @description What is wrong: `failed`, `failed_in_row 3`, `late 10m`, `runs_longer 1h`, `misfired`, `deadline_missed`. */
            condition: string;
            /**
             * Format: int64
             * @description How often it was noticed: runs, or fire times that were missed.
             */
            count: number;
            /** @description The job. */
            job: string;
            /** @description When it was noticed last. */
            last_at: components["schemas"]["Timestamp"];
            /** @description Namespace of the job. */
            namespace: string;
            /** @description The run with which it was noticed last. */
            run?: string | null;
            silence?: components["schemas"]["AlertSilence"] | null;
            /** @description Since when. */
            since: components["schemas"]["Timestamp"];
            told_at?: components["schemas"]["Timestamp"] | null;
        };
        /** @description Something that is done to many jobs or runs, one after the other. Kept for a week. */
        Operation: {
            /** @description What is done. */
            action: components["schemas"]["OperationAction"];
            /** @description Who has begun it, as far as it is known. */
            by?: string | null;
            /** @description Whether somebody has asked to end it. */
            cancel_asked?: boolean;
            /**
             * Format: int32
             * @description How many were done.
             */
            done: number;
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description The first 100 that have failed. */
            errors?: components["schemas"]["OperationError"][];
            /**
             * Format: int32
             * @description How many have failed.
             */
            failed: number;
            /** @description Its id. */
            id: string;
            /** @description The namespace of the jobs or runs. */
            namespace: string;
            /** @description Incarnation of the node that does it. */
            node: string;
            /** @description Why. */
            reason?: string | null;
            /** @description Where nothing was begun: the first ten of them. */
            sample?: string[];
            /** @description When it began. */
            started_at: components["schemas"]["Timestamp"];
            /** @description How far it is. */
            state: components["schemas"]["OperationState"];
            /**
             * Format: int32
             * @description How many there are.
             */
            total: number;
        };
        /**
         * @description What is done to each job, or run.
         * @enum {string}
         */
        OperationAction: "pause" | "resume" | "run" | "cancel" | "delete" | "label" | "rerun";
        /** @description One job or run that an operation could not do something to. */
        OperationError: {
            /** @description Code of the error. */
            code: string;
            /** @description What was wrong. */
            message: string;
            /** @description The job, or the run. */
            name: string;
        };
        /** @description Which jobs; where the action is `rerun`, which runs. */
        OperationSelector: {
            /** @description Their names, 1 to 100,000; for runs, their ids. */
            names?: string[];
            /** @description Their namespace; for runs, `-` is all of them. */
            namespace: string;
            /** @description In place of names: a query as the list of jobs takes it, or that of runs; empty for all of the namespace. */
            q?: string | null;
        };
        /** @description An operation that is asked for. */
        OperationSpec: {
            /** @description What is done. */
            action: components["schemas"]["OperationAction"];
            /** @description Labels that are set, where the action is `label`. */
            add_labels?: {
                [key: string]: string;
            };
            /** @description Why; kept with the operation. */
            reason?: string | null;
            /** @description Names of labels that are removed, where the action is `label`. */
            remove_labels?: string[];
            /** @description To which jobs or runs. */
            selector: components["schemas"]["OperationSelector"];
        };
        /**
         * @description How far an operation is.
         * @enum {string}
         */
        OperationState: "planned" | "running" | "done" | "cancelled" | "interrupted" | "unknown";
        /**
         * @description What made a run.
         * @enum {string}
         */
        Origin: "schedule" | "manual" | "api" | "retry" | "parent" | "misfire" | "backfill" | "after" | "imported" | "unknown";
        /** @description A time in which instants passed without anybody to fire them. */
        Outage: {
            /**
             * Format: int64
             * @description Runs that made up for instants, at most 1,000.
             */
            caught_up: number;
            /**
             * Format: int64
             * @description How many instants were due: those made up for and those skipped.
             */
            due: number;
            /** @description The first instant that passed. */
            from: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Instants that were not made up for.
             */
            skipped: number;
            /** @description The last one. */
            to: components["schemas"]["Timestamp"];
        };
        /** @description An output that is kept apart from its run. */
        OutputRef: {
            /**
             * Format: int64
             * @description How long it is.
             */
            bytes: number;
            /** @description Its SHA-256, as 64 hexadecimal digits. */
            sha256: string;
        };
        /**
         * @description What a fire does when `max_active` runs of the job are unfinished.
         * @enum {string}
         */
        Overlap: "allow" | "skip" | "hold" | "queue_one" | "queue_all" | "cancel_running";
        /** @description A part of a list. */
        Page_AlertDelivery: {
            /** @description The items, in the order of the list. */
            items: {
                /**
                 * Format: int32
                 * @description How often it was sent.
                 */
                attempts: number;
                /** @description The channel. */
                channel: string;
                /** @description What is or was wrong. */
                condition?: string | null;
                /** @description When it was made. */
                created_at: components["schemas"]["Timestamp"];
                ended_at?: components["schemas"]["Timestamp"] | null;
                /** @description What went wrong last, beginning with a stable code. */
                error?: string | null;
                /** @description Its id: the same however often it is sent. */
                id: string;
                /** @description The job. */
                job?: string | null;
                /** @description Namespace of the job; none in a test. */
                namespace?: string | null;
                next_at?: components["schemas"]["Timestamp"] | null;
                /** @description The run that it is about. */
                run?: string | null;
                /** @description Where it stands. */
                state: components["schemas"]["DeliveryState"];
                /** @description Its first line. */
                subject: string;
                /** @description Why it is sent: `opened`, `reminder`, `recovered` or `test`. */
                type: string;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Approval: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description Who may decide; everybody who may steer runs when absent. */
                from?: string[];
                /** @description Name of the workflow. */
                job: string;
                /** @description Namespace. */
                namespace: string;
                on_timeout?: components["schemas"]["OnTimeout"] | null;
                /** @description What is asked, with the values of this run. */
                prompt: string;
                /** @description The workflow run. */
                run: string;
                /** @description When it began to wait. */
                since: components["schemas"]["Timestamp"];
                /** @description The task that asks; one item of a task that runs more than once has its number in brackets. */
                task: string;
                until?: components["schemas"]["Timestamp"] | null;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Backfill: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description All fire times of the range by what the plan said about them. */
                actions: components["schemas"]["BackfillActions"];
                /** @description Whether it was started together with what depends on it, or because it depends on another one. */
                cascade?: boolean;
                /** @description The backfill that it depends on and was started with. */
                cascade_of?: string | null;
                /** @description When it was started. */
                created_at: components["schemas"]["Timestamp"];
                /** @description Who started it. */
                created_by?: string | null;
                ended_at?: components["schemas"]["Timestamp"] | null;
                /** @description The first instant of the range. */
                from: components["schemas"]["Timestamp"];
                /** @description Number. */
                id: string;
                /** @description Its items by state. */
                items: components["schemas"]["BackfillItems"];
                /** @description Job. */
                job: string;
                /**
                 * Format: int64
                 * @description Version of the job that the runs execute.
                 */
                job_version: number;
                /**
                 * Format: int32
                 * @description Runs under way at a time.
                 */
                max_active: number;
                /** @description Namespace. */
                namespace: string;
                /** @description In which order they start. */
                order: components["schemas"]["BackfillOrder"];
                part?: components["schemas"]["BackfillPart"] | null;
                /** @description Hash of its plan. */
                plan: string;
                /**
                 * Format: int32
                 * @description Priority of the runs.
                 */
                priority: number;
                /** @description Why it stands there, when that needs saying. */
                reason?: string | null;
                /** @description Which fire times of the range are run. */
                reprocess: components["schemas"]["Reprocess"];
                /** @description Where it stands. */
                state: components["schemas"]["BackfillState"];
                /** @description Whether the first run that fails pauses the backfill. */
                stop_on_failure: boolean;
                /** @description Time zone in which the range was read. */
                timezone: string;
                /** @description The last instant of the range. */
                to: components["schemas"]["Timestamp"];
                /** @description Trigger whose fire times are run. */
                trigger: string;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_BackfillItem: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description `create` or `rerun`. */
                action: components["schemas"]["BackfillAction"];
                /** @description Fire time. */
                fire_at: components["schemas"]["Timestamp"];
                logical_date?: components["schemas"]["Timestamp"] | null;
                /**
                 * Format: int64
                 * @description Its place in the order of the backfill, from 1.
                 */
                number: number;
                /** @description The run before, which this one repeats. */
                rerun_of?: string | null;
                /** @description The newest run made for it. */
                run?: string | null;
                /** @description Where it stands. */
                state: components["schemas"]["BackfillItemState"];
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Calendar: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description When it was first saved. */
                created_at: components["schemas"]["Timestamp"];
                /** @description Id, stable across edits. */
                id: string;
                /** @description Name. */
                name: string;
                /** @description Namespace. */
                namespace: string;
                /** @description The definition as it was saved. */
                spec: components["schemas"]["CalendarSpec"];
                /**
                 * Format: int64
                 * @description Triggers that name it, directly or as a base.
                 */
                trigger_count: number;
                /** @description When this version was saved. */
                updated_at: components["schemas"]["Timestamp"];
                /**
                 * Format: int64
                 * @description Version: 1 at first, one more with each save. For `If-Match`.
                 */
                version: number;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Gap: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description The latest backfill that has run instants of it. */
                backfill?: string | null;
                /**
                 * Format: int64
                 * @description How many of the instants backfills have run.
                 */
                backfilled?: number;
                /**
                 * Format: int64
                 * @description How many there are.
                 */
                count: number;
                /** @description The first of the instants. */
                first: components["schemas"]["Timestamp"];
                /** @description Position among all gaps. */
                id: string;
                /** @description The last of the instants. */
                last: components["schemas"]["Timestamp"];
                /** @description `missed` or `suppressed`. */
                outcome: string;
                /** @description The policy that allowed it. */
                policy: string;
                /** @description `misfire`, `catch_up_cap`, `overlap`, `paused`, `changed` or `deleted`. */
                reason: string;
                /** @description When it was recorded. */
                recorded_at: components["schemas"]["Timestamp"];
                /** @description `namespace/job/trigger`. */
                trigger: string;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Job: {
            /** @description The items, in the order of the list. */
            items: {
                /**
                 * Format: int32
                 * @description Unfinished runs.
                 */
                active_runs: number;
                /** @description When it was first saved. */
                created_at: components["schemas"]["Timestamp"];
                /** @description When each of its triggers fires, in words, in the order of the definition and the language that `Accept-Language` asks for. */
                explanations?: string[];
                /** @description Jobs that start when its runs end, by their names, where one job is asked for. */
                followed_by?: string[];
                /** @description Id, stable across renames. */
                id: string;
                last_run?: components["schemas"]["RunSummary"] | null;
                /** @description Name. */
                name: string;
                /** @description Namespace. */
                namespace: string;
                next_fire_at?: components["schemas"]["Timestamp"] | null;
                /** @description What is wrong with it that somebody is told of. */
                open_alerts?: components["schemas"]["OpenAlert"][];
                /** @description Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause. */
                pause_reason?: string | null;
                /** @description No trigger of the job fires while true. */
                paused: boolean;
                paused_at?: components["schemas"]["Timestamp"] | null;
                /** @description Who paused it: what the caller said of itself, and with what it was let in. */
                paused_by?: string | null;
                /** @description Its newest runs, newest first: as many as `recent` asked for. */
                recent?: components["schemas"]["RunSummary"][];
                /** @description The definition as it was saved. */
                spec: components["schemas"]["JobSpec"];
                /** @description When this version was saved. */
                updated_at: components["schemas"]["Timestamp"];
                /**
                 * Format: int64
                 * @description Version: 1 at first, one more with each save. For `If-Match`.
                 */
                version: number;
                /** @description In answers to `PUT` and `PATCH`: what is allowed and probably not meant. */
                warnings?: components["schemas"]["Problem"][];
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_JobVersion: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description It is the one that fires now. */
                current: boolean;
                /** @description The same as a job file in YAML; absent in lists. */
                file?: string | null;
                /** @description When it was saved. */
                saved_at: components["schemas"]["Timestamp"];
                /**
                 * @description Who saved it: the name that the caller gave, and with what it was let in. The server notes the name and cannot check it.
                 *     Absent where nothing was noted: a version of an older mainspring, or of a program that embeds it.
                 */
                saved_by?: string | null;
                saved_from?: components["schemas"]["SavedFrom"] | null;
                /** @description What it says. To restore it, save this: it becomes a new version. */
                spec: components["schemas"]["JobSpec"];
                /**
                 * Format: int64
                 * @description Its number.
                 */
                version: number;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Namespace: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description When it was made. */
                created_at: components["schemas"]["Timestamp"];
                /** @description What it is for, in the user's words. */
                description?: string | null;
                /** @description Id, stable across renames. */
                id: string;
                /**
                 * Format: int64
                 * @description Number of jobs.
                 */
                job_count: number;
                /** @description Name, unique in the cluster. */
                name: string;
                /** @description No trigger of the namespace fires while true. */
                paused: boolean;
                /**
                 * Format: int64
                 * @description Version, for `If-Match`.
                 */
                version: number;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Operation: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description What is done. */
                action: components["schemas"]["OperationAction"];
                /** @description Who has begun it, as far as it is known. */
                by?: string | null;
                /** @description Whether somebody has asked to end it. */
                cancel_asked?: boolean;
                /**
                 * Format: int32
                 * @description How many were done.
                 */
                done: number;
                ended_at?: components["schemas"]["Timestamp"] | null;
                /** @description The first 100 that have failed. */
                errors?: components["schemas"]["OperationError"][];
                /**
                 * Format: int32
                 * @description How many have failed.
                 */
                failed: number;
                /** @description Its id. */
                id: string;
                /** @description The namespace of the jobs or runs. */
                namespace: string;
                /** @description Incarnation of the node that does it. */
                node: string;
                /** @description Why. */
                reason?: string | null;
                /** @description Where nothing was begun: the first ten of them. */
                sample?: string[];
                /** @description When it began. */
                started_at: components["schemas"]["Timestamp"];
                /** @description How far it is. */
                state: components["schemas"]["OperationState"];
                /**
                 * Format: int32
                 * @description How many there are.
                 */
                total: number;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_QueueChange: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description What was done. */
                action: components["schemas"]["QueueAction"];
                /** @description When. */
                at: components["schemas"]["Timestamp"];
                /** @description Who, as far as it is known. */
                by: string;
                /** @description Its id; that of a newer change is less. */
                id: string;
                /** @description The job of that run. */
                job?: string | null;
                priority?: components["schemas"]["PriorityChange"] | null;
                /** @description Why, as was said. */
                reason?: string | null;
                /** @description The run that it was done to, if it was one. */
                run?: string | null;
                /**
                 * Format: int32
                 * @description How many runs have moved.
                 */
                runs?: number | null;
                settings?: components["schemas"]["SettingsChange"] | null;
                /** @description Where they went: the other queue, or `first` or `last`. */
                to?: string | null;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Run: {
            /** @description The items, in the order of the list. */
            items: {
                /**
                 * Format: int32
                 * @description Attempts opened so far.
                 */
                attempt: number;
                /**
                 * Format: int32
                 * @description Attempts allowed in all.
                 */
                attempts_max: number;
                caller?: components["schemas"]["RunCaller"] | null;
                cancel_requested_at?: components["schemas"]["Timestamp"] | null;
                /** @description Run whose end started this one, by an `after` trigger. */
                cause?: string | null;
                /** @description When it was recorded. */
                created_at: components["schemas"]["Timestamp"];
                deadline_at?: components["schemas"]["Timestamp"] | null;
                /** @description Whether it was unfinished then, and that was told, where one run is asked for. Absent: no. */
                deadline_missed?: boolean;
                due_at?: components["schemas"]["Timestamp"] | null;
                ended_at?: components["schemas"]["Timestamp"] | null;
                /**
                 * Format: int32
                 * @description Exit code of the newest attempt's process.
                 */
                exit_code?: number | null;
                expires_at?: components["schemas"]["Timestamp"] | null;
                fire_at?: components["schemas"]["Timestamp"] | null;
                /** @description Id, ordered by time. */
                id: string;
                /** @description JSON it received. */
                input?: unknown;
                /** @description Job. */
                job: string;
                /**
                 * Format: int64
                 * @description Version of the job that it runs.
                 */
                job_version: number;
                /** @description Labels of that version; of the run of a task, with those of the task. */
                labels?: {
                    [key: string]: string;
                };
                /**
                 * Format: int64
                 * @description Handler entered minus due time.
                 */
                lateness_ms?: number | null;
                logical_date?: components["schemas"]["Timestamp"] | null;
                /** @description Namespace. */
                namespace: string;
                /** @description Node that executes the newest attempt or has executed it, by name. Absent where a worker does. */
                node?: string | null;
                not_before?: components["schemas"]["Timestamp"] | null;
                /** @description What made it. */
                origin: components["schemas"]["Origin"];
                /** @description JSON it left, if that is not more than 64 KiB. */
                output?: unknown;
                output_ref?: components["schemas"]["OutputRef"] | null;
                /** @description Run of which this one is a shard or a task. */
                parent?: string | null;
                /** @description Whether a workflow run starts nothing new until it is resumed, where one run is asked for. Absent: no. */
                paused?: boolean;
                /**
                 * Format: int32
                 * @description Priority within the queue.
                 */
                priority: number;
                /** @description Queue. */
                queue: string;
                /** @description Why it stands there, when that needs saying. */
                reason?: string | null;
                /**
                 * @description Whether a failover of the database came between its due time and its record, and lost records: it may have been
                 *     recorded, and done, before. Absent: no.
                 */
                recovered?: boolean;
                /** @description Newest run that repeats this one, where one run of a workflow is asked for. */
                rerun_as?: string | null;
                /** @description Run that this one repeats. */
                rerun_of?: string | null;
                shard?: components["schemas"]["RunShard"] | null;
                started_at?: components["schemas"]["Timestamp"] | null;
                /** @description Where it stands. */
                state: components["schemas"]["RunState"];
                /** @description Which task of it, with the item in brackets where the task runs more than once. */
                task?: string | null;
                tasks?: components["schemas"]["TaskCounts"] | null;
                /** @description Trigger that fired, by name; absent when it was asked for. */
                trigger?: string | null;
                /**
                 * @description Worker that executes the newest attempt or has executed it, by name, or that routing has picked for it. Absent also of lost
                 *     attempts, and of runs of versions that did not keep it.
                 */
                worker?: string | null;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_RunTask: {
            /** @description The items, in the order of the list. */
            items: {
                /**
                 * Format: int32
                 * @description Attempts that this run has opened.
                 */
                attempt?: number | null;
                ended_at?: components["schemas"]["Timestamp"] | null;
                /** @description Whether it runs when all others have ended. */
                finally?: boolean;
                /**
                 * Format: int32
                 * @description How often it was made to wait again.
                 */
                generation: number;
                /** @description Group that it lies in. */
                group?: string | null;
                items?: components["schemas"]["TaskCounts"] | null;
                /** @description Workflow run that ran it, where this one repeats that and has kept the task. */
                kept_from?: string | null;
                /** @description Name; of an item, with its number in brackets. */
                name: string;
                /** @description Tasks that must end first. */
                needs?: string[];
                /** @description Why it stands there, when that needs saying. */
                reason?: string | null;
                /** @description Its newest run. */
                run?: string | null;
                run_state?: components["schemas"]["RunState"] | null;
                since?: components["schemas"]["Timestamp"] | null;
                started_at?: components["schemas"]["Timestamp"] | null;
                /** @description Where it stands. */
                state: components["schemas"]["TaskState"];
                tasks?: components["schemas"]["TaskCounts"] | null;
                /** @description When it may run, given how these ended. */
                trigger_rule: components["schemas"]["TriggerRule"];
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_Trigger: {
            /** @description The items, in the order of the list. */
            items: {
                /** @description Run whose end a `delay` trigger awaits. */
                awaiting_run?: string | null;
                /** @description Its job is at its limit, and `overlap: hold` keeps the trigger waiting. */
                blocked: boolean;
                /** @description Calendar that removes fire times. */
                calendar?: string | null;
                due_at?: components["schemas"]["Timestamp"] | null;
                /** @description The schedule in words, naming the cron dialect. */
                explanation: string;
                /** @description Id, stable across edits. */
                id: string;
                /** @description Job. */
                job: string;
                /** @description Its job is paused, so it does not fire either. */
                job_paused?: boolean;
                /** @description `namespace/job/trigger`. */
                key: string;
                /** @description Kind of schedule. */
                kind: components["schemas"]["TriggerKind"];
                /** @description Misfire policy in force. */
                misfire: components["schemas"]["Misfire"];
                /** @description Name within the job. */
                name: string;
                /** @description Namespace. */
                namespace: string;
                next_fire_at?: components["schemas"]["Timestamp"] | null;
                /** @description Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause. */
                pause_reason?: string | null;
                /** @description Paused itself; the pause of its job is not counted here. */
                paused: boolean;
                paused_at?: components["schemas"]["Timestamp"] | null;
                /** @description Who paused it. */
                paused_by?: string | null;
                previous_fire_at?: components["schemas"]["Timestamp"] | null;
                /** @description Rules in force at clock changes. */
                semantics: components["schemas"]["Semantics"];
                /** @description The trigger as it was written. */
                spec: components["schemas"]["TriggerSpec"];
                /** @description Whether it can still fire. */
                state: components["schemas"]["TriggerState"];
                /** @description Why it is in `error`. */
                state_reason?: string | null;
                /**
                 * Format: int64
                 * @description Fires so far.
                 */
                times_triggered: number;
                /** @description Zone in which the schedule is read. */
                timezone: string;
                /**
                 * Format: int64
                 * @description Version: rises with every change that affects a fire.
                 */
                version: number;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A part of a list. */
        Page_WebhookDelivery: {
            /** @description The items, in the order of the list. */
            items: {
                /**
                 * Format: int32
                 * @description How often it was sent.
                 */
                attempts: number;
                /** @description When it was made. */
                created_at: components["schemas"]["Timestamp"];
                ended_at?: components["schemas"]["Timestamp"] | null;
                /** @description What went wrong last. */
                error?: string | null;
                /** @description Position in the list. */
                id: string;
                /** @description The id of the message, as its header `webhook-id` says it: the same however often it is sent. */
                message: string;
                next_at?: components["schemas"]["Timestamp"] | null;
                /** @description Where it stands. */
                state: components["schemas"]["DeliveryState"];
                /**
                 * Format: int32
                 * @description The HTTP status that the receiver answered last.
                 */
                status?: number | null;
                /** @description Type of the event. */
                type: string;
            }[];
            /** @description What `cursor` gets the next page; absent on the last one. Opaque, and valid for the same query only. */
            next_cursor?: string | null;
        };
        /** @description A member of `input` that whoever starts a run may set. */
        ParamSpec: {
            /** @description Value of scheduled runs, and of others that name none. */
            default?: unknown;
            /** @description What the parameter is for. */
            description?: string | null;
            /** @description The only values allowed, when given; at most 1,000. */
            enum?: unknown[];
            /** @description A run that is asked for without it is refused, unless it has a default or is a member of the job's input. */
            required?: boolean;
            type?: components["schemas"]["ParamType"] | null;
        };
        /**
         * @description Type of a parameter.
         * @enum {string}
         */
        ParamType: "string" | "integer" | "number" | "boolean";
        /** @description An attempt of a run that is over. */
        PastAttempt: {
            /** @description When it ended. */
            ended_at: components["schemas"]["Timestamp"];
            /** @description Why it failed, for people; at most 4 KiB. */
            error?: string | null;
            /** @description A stable word for the error, such as `xxl.failed`; at most 64 characters. */
            error_code?: string | null;
            /**
             * Format: int32
             * @description Exit code, HTTP status, or code of another protocol.
             */
            exit_code?: number | null;
            /** @description How it has ended: any state but `running`. */
            outcome: components["schemas"]["AttemptState"];
            /** @description When it began. */
            started_at: components["schemas"]["Timestamp"];
        };
        /** @description A run that is over. */
        PastRun: {
            /** @description Its attempts, first to last: 1 to 100. The last one says how the run has ended. */
            attempts: components["schemas"]["PastAttempt"][];
            /** @description When it was due. */
            due_at: components["schemas"]["Timestamp"];
            /** @description What it was given; at most 64 KiB. */
            input?: unknown;
            /**
             * @description Names the record that it is made of, together with the job and `due_at`: 1 to 128 characters. One that is there already is not
             *     added again.
             */
            key: string;
            /** @description What people should know of it; at most 256 characters. */
            note?: string | null;
            /** @description What it has left; at most 64 KiB. */
            output?: unknown;
            /** @description Who executed it, for people; at most 120 characters. */
            worker?: string | null;
        };
        /** @description Runs of a job that another scheduler has executed, to be kept in its history. */
        PastRuns: {
            /** @description The runs, in any order; at most 1,000. */
            runs: components["schemas"]["PastRun"][];
            /** @description Where they come from, for people, such as `XXL-JOB`; at most 64 characters. */
            source: string;
        };
        /** @description What came of bringing past runs. */
        PastRunsAdded: {
            /**
             * Format: int64
             * @description How many were added.
             */
            added: number;
            /**
             * Format: int64
             * @description How many were there already.
             */
            known: number;
        };
        /** @description What a policy let pass. */
        PolicyMisfires: {
            /**
             * Format: int64
             * @description Instants that were missed.
             */
            missed: number;
            /** @description Its name, as in the filter. */
            policy: string;
            /**
             * Format: int64
             * @description Instants that were suppressed.
             */
            suppressed: number;
        };
        /** @description A place in a text. */
        Position: {
            /**
             * Format: int32
             * @description Column in characters, from 1.
             */
            column: number;
            /** @description File, as it was named by the user. */
            file?: string | null;
            /**
             * Format: int32
             * @description Line, from 1.
             */
            line: number;
        };
        /** @description What a trigger will do. */
        Preview: {
            /** @description The dialect of a cron expression: `unix` or `quartz`. */
            dialect?: string | null;
            /** @description The schedule in words, naming the cron dialect. */
            explanation: string;
            /** @description Fire times in order, those that a calendar removes among them. */
            fires: components["schemas"]["PreviewFire"][];
            /** @description Kind of schedule. */
            kind: components["schemas"]["TriggerKind"];
            /** @description Fire times before these, the newest first, as many as `past` asked for, as if the trigger had always been there. */
            past?: components["schemas"]["PreviewFire"][];
            /** @description Zone in which it was read. */
            timezone: string;
            /** @description Things worth a thought that are not wrong. */
            warnings?: components["schemas"]["Problem"][];
        };
        /** @description A fire time to come. */
        PreviewFire: {
            /** @description The instant. */
            at: components["schemas"]["Timestamp"];
            /** @description Calendar that removes it. */
            excluded_by?: string | null;
            /** @description The same in the trigger's zone, with its offset: `2026-03-29T03:00:00+02:00`. */
            local: string;
            note?: components["schemas"]["PreviewNote"] | null;
            /** @description A run of the fire before, if it takes `took_ms`, would not be over yet. */
            overlaps?: boolean;
        };
        /**
         * @description What is special about a fire time.
         * @enum {string}
         */
        PreviewNote: "gap" | "fold" | "unknown";
        /** @description Asks what a trigger will do. */
        PreviewRequest: {
            after?: components["schemas"]["Timestamp"] | null;
            /** @description Calendars it may name, before those of the namespace; at most 100. */
            calendars?: components["schemas"]["CalendarSpec"][];
            /**
             * Format: int32
             * @description Fire times at most, 1 to 1,000; 10 when absent.
             */
            count?: number | null;
            /** @description Namespace in which calendars are looked up; `default` when absent. */
            namespace?: string | null;
            /**
             * Format: int32
             * @description Fire times before `after`, 0 to 100; none when absent.
             */
            past?: number | null;
            /**
             * Format: int64
             * @description How long a run usually takes, in milliseconds: then fires that come earlier after the one before are marked.
             */
            took_ms?: number | null;
            /** @description The trigger. */
            trigger: components["schemas"]["TriggerSpec"];
            until?: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description An order of items.
         * @enum {string}
         */
        Prioritizer: "fifo" | "newest" | "oldest" | "priority";
        /** @description The priorities of a run that got another place. */
        PriorityChange: {
            /**
             * Format: int32
             * @description The one that it has.
             */
            after: number;
            /**
             * Format: int32
             * @description The one that it had.
             */
            before: number;
        };
        /**
         * @description One thing that is wrong with an input.
         *
         *     ```
         *     use mainspring_api::{ErrorCode, Position, Problem};
         *     let problem = Problem::new(ErrorCode::FieldUnknown, "unknown key \"timout\"")
         *         .at("/timout")
         *         .hint("did you mean \"timeout\"?")
         *         .position(Position { file: Some("jobs.yaml".into()), line: 14, column: 3 });
         *     assert_eq!(
         *         problem.to_string(),
         *         "error[field.unknown]: unknown key \"timout\"   --> jobs.yaml:14:3\n  hint: did you mean \"timeout\"?",
         *     );
         *     ```
         */
        Problem: {
            /** @description Stable dotted code, one of [`ErrorCode`]. */
            code: string;
            /** @description What to do. */
            hint?: string | null;
            /** @description What is wrong, in lower case without a full stop. */
            message: string;
            /** @description JSON pointer (RFC 6901) to the value in the document or body; empty for the whole. */
            pointer?: string;
            position?: components["schemas"]["Position"] | null;
        };
        /**
         * @description An error answer: RFC 9457, `application/problem+json`.
         *
         *     ```
         *     use mainspring_api::{ErrorCode, ProblemDetails};
         *     let details = ProblemDetails::new(ErrorCode::JobNotFound, "no job \"nigthly\" in namespace \"prod\"");
         *     assert_eq!(details.status, 404);
         *     assert_eq!(details.kind, "urn:mainspring:error:job.not_found");
         *     ```
         */
        ProblemDetails: {
            /** @description Stable dotted code, one of [`ErrorCode`]. */
            code: string;
            /** @description What went wrong this time. */
            detail: string;
            /** @description Each thing that is wrong with the body, up to 100. */
            errors?: components["schemas"]["Problem"][];
            /**
             * Format: int64
             * @description How many more things are wrong with it.
             */
            errors_omitted?: number;
            /** @description What to do. */
            hint?: string | null;
            /** @description Id of the request, as in the server's log. */
            request_id?: string | null;
            /**
             * Format: int32
             * @description HTTP status.
             */
            status: number;
            /** @description What went wrong, in a few words; the same for every error of the code. */
            title: string;
            /** @description `urn:mainspring:error:` and the code. */
            type: string;
        };
        /** @description A queue as the API shows it. Unfinished runs are counted up to ten thousand, the oldest first. */
        Queue: {
            lately?: components["schemas"]["QueueLately"] | null;
            /**
             * Format: int32
             * @description Runs that are executed at a time, over all nodes and workers; at least 1.
             */
            max_running?: number | null;
            /**
             * Format: int32
             * @description Runs that wait in it at a time; 1 to 100000. Where as many wait, runs that are asked for are refused, and fires suppressed.
             */
            max_waiting?: number | null;
            /** @description Its name. */
            name: string;
            oldest_due_at?: components["schemas"]["Timestamp"] | null;
            /** @description Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause. */
            pause_reason?: string | null;
            /** @description Nothing leaves it; what runs goes on. */
            paused?: boolean;
            paused_at?: components["schemas"]["Timestamp"] | null;
            /** @description Who paused it. */
            paused_by?: string | null;
            /**
             * Format: int64
             * @description Runs that wait in it.
             */
            queued: number;
            rate?: components["schemas"]["QueueRate"] | null;
            /**
             * Format: int64
             * @description Runs of it that are executed.
             */
            running: number;
            /**
             * Format: int32
             * @description Workers that take runs from it, beside servers.
             */
            workers: number;
        };
        /**
         * @description What somebody did to a queue or to what waits in it.
         * @enum {string}
         */
        QueueAction: "set" | "pause" | "resume" | "move" | "place" | "drop" | "unknown";
        /** @description Something that somebody has changed about a queue. Kept for 90 days. */
        QueueChange: {
            /** @description What was done. */
            action: components["schemas"]["QueueAction"];
            /** @description When. */
            at: components["schemas"]["Timestamp"];
            /** @description Who, as far as it is known. */
            by: string;
            /** @description Its id; that of a newer change is less. */
            id: string;
            /** @description The job of that run. */
            job?: string | null;
            priority?: components["schemas"]["PriorityChange"] | null;
            /** @description Why, as was said. */
            reason?: string | null;
            /** @description The run that it was done to, if it was one. */
            run?: string | null;
            /**
             * Format: int32
             * @description How many runs have moved.
             */
            runs?: number | null;
            settings?: components["schemas"]["SettingsChange"] | null;
            /** @description Where they went: the other queue, or `first` or `last`. */
            to?: string | null;
        };
        /** @description What limits of a queue do to the runs that are there. */
        QueueEffect: {
            /**
             * Format: int64
             * @description How long the rate takes for all that wait, in milliseconds; absent without a rate, and for a queue that is paused.
             */
            drain_ms?: number | null;
            /**
             * Format: int64
             * @description Runs that wait and may leave at once, as far as there are slots for them.
             */
            leave: number;
            /**
             * Format: int64
             * @description Runs that are executed beyond the limit: they go on, and none leaves before that many have ended.
             */
            over: number;
            /** @description Whether more runs are refused, because as many wait as may. */
            refuses: boolean;
            /** @description The limits. */
            settings: components["schemas"]["QueueSettings"];
            /**
             * Format: int64
             * @description Runs that go on waiting.
             */
            wait: number;
        };
        /**
         * @description An end of a queue.
         * @enum {string}
         */
        QueueEnd: "first" | "last";
        /** @description How a queue did over time. */
        QueueHistory: {
            /** @description When the first point begins. */
            from: components["schemas"]["Timestamp"];
            /** @description Without gaps, the oldest first. The last one may go on. */
            points: components["schemas"]["QueuePoint"][];
            /** @description Its name. */
            queue: string;
            /**
             * Format: int64
             * @description How long each point stands for, in milliseconds.
             */
            step_ms: number;
            /** @description When the last point ends. */
            to: components["schemas"]["Timestamp"];
        };
        /** @description How a queue did lately: in the last five whole minutes, and in the present one. */
        QueueLately: {
            /**
             * Format: int64
             * @description Runs that came in the five whole minutes.
             */
            arrived: number;
            /** @description How many runs waited at most in each of these minutes, the oldest first; the present one is the last. */
            depths: number[];
            /**
             * Format: int64
             * @description How long what waits would take to leave at the pace of the five minutes if nothing more came, in milliseconds; absent where nothing
             *     waits or nothing left.
             */
            drain_ms?: number | null;
            /** @description Whether more runs came than left in every one of the five minutes. */
            is_filling: boolean;
            /**
             * Format: int64
             * @description Runs that left in them.
             */
            left: number;
            /**
             * Format: int32
             * @description What nineteen of twenty runs that left, in the present minute too, had waited at most, in milliseconds.
             */
            wait_p95_ms?: number | null;
        };
        /** @description Which runs that wait in a queue are to wait in another one. */
        QueueMove: {
            /** @description Only runs of this job. */
            job?: string | null;
            /**
             * Format: int32
             * @description How many move at most: those that would leave first. Without it, as many as one request may move: 10000.
             */
            limit?: number | null;
            /** @description The namespace of the job, where it is not `default`. */
            namespace?: string | null;
            /** @description Why; the server notes it in its log. */
            reason?: string | null;
            /** @description The queue in which they are to wait. */
            to: string;
        };
        /** @description How many runs wait in another queue now. */
        QueueMoved: {
            /** @description Whether more may wait: the request moved as many as it may. Ask again. */
            more: boolean;
            /**
             * Format: int32
             * @description Runs that have moved.
             */
            moved: number;
        };
        /** @description How a queue did within a part of time. Where nothing waited and nothing left, all is 0; so it is where no server ran. */
        QueuePoint: {
            /**
             * Format: int64
             * @description Runs that came: those that left, and those by which the queue has grown. What was cancelled or moved away while it waited counts
             *     against them.
             */
            arrived: number;
            /** @description When it begins. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Runs that waited at the end.
             */
            depth: number;
            /** @description Whether more may have waited: runs are counted up to a bound of 100,000. */
            depth_is_least?: boolean;
            /**
             * Format: int64
             * @description Runs that waited at most.
             */
            depth_max: number;
            /**
             * Format: int64
             * @description Runs that left to be executed: they were claimed, or started as they fired.
             */
            left: number;
            /**
             * Format: int32
             * @description What the one had waited that waited longest.
             */
            wait_max_ms?: number | null;
            /**
             * Format: int32
             * @description What half of those that left had waited at most, from when they were due, in milliseconds; a fifth too high at most. This and the
             *     next two are absent where none left that had not been tried before.
             */
            wait_p50_ms?: number | null;
            /**
             * Format: int32
             * @description What nineteen of twenty had waited at most.
             */
            wait_p95_ms?: number | null;
        };
        /** @description What limits of a queue would do to the runs that are there now, beside what the present ones do. */
        QueuePreview: {
            /** @description What these would do. */
            after: components["schemas"]["QueueEffect"];
            /** @description What the present limits do. */
            before: components["schemas"]["QueueEffect"];
            /** @description Whether more may wait: they are counted up to a bound of 100,000. */
            is_least?: boolean;
            /**
             * Format: int64
             * @description Runs that are executed.
             */
            running: number;
            /**
             * Format: int64
             * @description Runs that wait.
             */
            waiting: number;
        };
        /** @description So many runs in a time, evenly spread; what a second allows may leave at once. */
        QueueRate: {
            /**
             * Format: int32
             * @description How many, at least 1 and at most a million a second.
             */
            count: number;
            /**
             * Format: int32
             * @description In how many milliseconds: 1 to a day.
             */
            per_ms: number;
        };
        /** @description Why runs of a queue wait: what is in the way of the one that leaves first of those that wait alike. */
        QueueReason: {
            /** @description What kind of reason. */
            code: components["schemas"]["WhyCode"];
            /**
             * Format: int64
             * @description How many runs wait for this.
             */
            count: number;
            /** @description What helps. */
            hint?: string | null;
            /**
             * @description Where a limit is in the way, runs that count in it, 20 at most, and the one that began first is the first: each that ends lets
             *     one more go.
             */
            holders?: components["schemas"]["Run"][];
            /** @description The job whose limit it is, with its namespace. */
            job?: string | null;
            /** @description The reason, for people. */
            message: string;
        };
        /** @description What is set for a queue. Without any of it, runs leave as fast as there are slots, and any number may wait. */
        QueueSettings: {
            /**
             * Format: int32
             * @description Runs that are executed at a time, over all nodes and workers; at least 1.
             */
            max_running?: number | null;
            /**
             * Format: int32
             * @description Runs that wait in it at a time; 1 to 100000. Where as many wait, runs that are asked for are refused, and fires suppressed.
             */
            max_waiting?: number | null;
            /** @description Nothing leaves it; what runs goes on. */
            paused?: boolean;
            rate?: components["schemas"]["QueueRate"] | null;
        };
        /** @description How many runs of a namespace wait in a queue and are executed of it, and what it gets of the claims. */
        QueueShare: {
            /**
             * Format: int64
             * @description How many wait.
             */
            count: number;
            /** @description The namespace; of a name of more than 119 bytes, the beginning. */
            namespace: string;
            /**
             * Format: int64
             * @description How many are executed; of all unfinished runs, ten thousand are looked at.
             */
            running?: number;
            /**
             * Format: int32
             * @description Which part of what leaves next is of it, in thousandths: namespaces in which runs wait get equal parts, and one that has fewer runs
             *     leaves the rest to the others.
             */
            share_permille?: number;
        };
        /** @description What waits in a queue, and why. */
        QueueWaiting: {
            /**
             * Format: int64
             * @description Runs that wait.
             */
            count: number;
            /** @description The runs that are due to leave first. Where runs of several namespaces wait, these take turns. */
            head: components["schemas"]["Run"][];
            /** @description Runs that do not wait in the queue yet, because as many of their job are unfinished as may be: job by job, with most runs first. */
            held?: components["schemas"]["QueueReason"][];
            /** @description Whether more may wait: they are counted up to a bound of 100,000. */
            is_least?: boolean;
            /**
             * @description Of which namespaces the runs are that wait or are executed, that of most waiting runs first. Of runs for which a worker is
             *     picked, this is not known.
             */
            namespaces: components["schemas"]["QueueShare"][];
            /** @description Its name. */
            queue: string;
            /** @description Why they wait, the reason of most runs first. */
            reasons: components["schemas"]["QueueReason"][];
        };
        /** @description Triggers whose records of the future were taken back. */
        Reanchored: {
            /**
             * Format: int64
             * @description How many there are.
             */
            count: number;
            /** @description The first 100 of them, as `namespace/job/trigger`. */
            triggers: string[];
        };
        /** @description Why something is asked for; kept with what it changes. */
        Reason: {
            /** @description Who asks, as the caller says, such as `ann@laptop`. The server notes it with pauses and cannot check it. */
            by?: string | null;
            /** @description The reason, in the user's words. */
            reason?: string | null;
        };
        /** @description What was found broken, and mended. */
        Repaired: {
            /**
             * Format: int64
             * @description Ends of tasks that live workflow runs had not heard of. They have been told.
             */
            workflow_ends: number;
        };
        /**
         * @description Which fire times of a range are run.
         * @enum {string}
         */
        Reprocess: "missing" | "failed" | "all";
        /**
         * @description How a run is to run again. Without tasks, `failed` or `missing`, all of it does.
         * @example {
         *       "downstream": true,
         *       "plan": "5c0e8b1f2a94",
         *       "tasks": [
         *         "extract"
         *       ],
         *       "version": "latest"
         *     }
         */
        Rerun: {
            /** @description Who asks, as the caller says; the server notes it and cannot check it. */
            by?: string | null;
            /**
             * @description Of a run that goes on: cancels chosen tasks that run first, or the whole run if it has no tasks. They start again once these runs
             *     have ended.
             */
            cancel_running?: boolean;
            /** @description With `tasks`: also all that need them, directly or not, and the tasks that run last. */
            downstream?: boolean;
            /** @description What failed or was cancelled, what did not start because of it, and the tasks that run last. */
            failed?: boolean;
            /** @description What the run has no record of. */
            missing?: boolean;
            /** @description Plan that is to be carried out, as [`RerunPlan::plan`] names it: refused if there would be another one by now. */
            plan?: string | null;
            /** @description Why, in the user's words. */
            reason?: string | null;
            /** @description Names of tasks of a workflow run that are to run again. The others keep their results. */
            tasks?: string[];
            /** @description With `tasks`: also all that they need, directly or not. */
            upstream?: boolean;
            /** @description Version of the workflow: `pinned` (that of the run, and the usual one), `latest`, or its number. */
            version?: string | null;
        };
        /**
         * @description What a rerun does with a task.
         * @enum {string}
         */
        RerunAction: "rerun" | "keep" | "goes_on" | "cannot_run" | "gone" | "unknown";
        /**
         * @description How a task differs from that of the run that is repeated.
         * @enum {string}
         */
        RerunChange: "new" | "changed" | "unknown";
        /**
         * @description What a rerun of a workflow run would do.
         * @example {
         *       "cancels": 0,
         *       "cannot_run": 0,
         *       "estimate_ms": 61000,
         *       "goes_on": 0,
         *       "gone": 0,
         *       "in_place": false,
         *       "job": "etl",
         *       "job_version": 7,
         *       "keeps": 1,
         *       "latest_version": 9,
         *       "namespace": "default",
         *       "plan": "5c0e8b1f2a94",
         *       "reruns": 2,
         *       "run": "019a8c1e-5400-8a3b-9c55-6f1f2a7d0b11",
         *       "state": "failed",
         *       "tasks": [
         *         {
         *           "action": "keep",
         *           "estimate_ms": 30000,
         *           "name": "extract",
         *           "reason": "succeeded",
         *           "state": "succeeded"
         *         },
         *         {
         *           "action": "rerun",
         *           "estimate_ms": 60000,
         *           "name": "load",
         *           "reason": "chosen",
         *           "state": "failed"
         *         },
         *         {
         *           "action": "rerun",
         *           "estimate_ms": 1000,
         *           "name": "report",
         *           "reason": "after load",
         *           "state": "upstream_failed"
         *         }
         *       ],
         *       "version": 7
         *     }
         */
        RerunPlan: {
            below?: components["schemas"]["BackfillActions"] | null;
            /**
             * Format: int64
             * @description How many run and would be cancelled first.
             */
            cancels?: number;
            /**
             * Format: int64
             * @description How many would have to run and cannot.
             */
            cannot_run: number;
            /** @description These dates, level by level: the first 1,000. */
            dependants?: components["schemas"]["BackfillPlanItem"][];
            /**
             * Format: int64
             * @description How long it would take if nothing had to wait for a worker: the longest chain of medians of past runs, as far as there are any.
             */
            estimate_ms?: number | null;
            /**
             * Format: int64
             * @description How many go on as they are, in a run that goes on.
             */
            goes_on?: number;
            /**
             * Format: int64
             * @description How many the version that is to run does not have.
             */
            gone: number;
            /** @description Whether the tasks would run again in the run itself, because it goes on. Otherwise a new run begins. */
            in_place?: boolean;
            /** @description Its job. */
            job: string;
            /**
             * Format: int64
             * @description Version that it ran.
             */
            job_version: number;
            /**
             * Format: int64
             * @description How many would keep their results.
             */
            keeps: number;
            /**
             * Format: int64
             * @description Newest version of the job.
             */
            latest_version: number;
            /** @description Its namespace. */
            namespace: string;
            /** @description Names the plan and all that it was made from: [`Rerun::plan`] takes it. */
            plan: string;
            /** @description Newest run that repeats this one, if one does. */
            rerun_as?: string | null;
            /**
             * Format: int64
             * @description How many tasks would run again.
             */
            reruns: number;
            /** @description Run that is repeated. */
            run: string;
            /** @description How it ended, or stands. */
            state: components["schemas"]["RunState"];
            /** @description Each task, in the order of their names; then those that are gone. */
            tasks: components["schemas"]["RerunTask"][];
            /**
             * Format: int64
             * @description Version that is to run.
             */
            version: number;
        };
        /** @description What would become of a task. */
        RerunTask: {
            /** @description What would happen. */
            action: components["schemas"]["RerunAction"];
            change?: components["schemas"]["RerunChange"] | null;
            /**
             * Format: int64
             * @description How long it took in the median of past runs, where that is known.
             */
            estimate_ms?: number | null;
            /** @description Name. */
            name: string;
            /** @description Why, in words. */
            reason: string;
            state?: components["schemas"]["TaskState"] | null;
        };
        /** @description Which items a component tries again. */
        RetrySpec: {
            /**
             * Format: int32
             * @description How often at most, 1 to 1,000; 10 when absent.
             */
            max?: number | null;
            /** @description The longest wait, as a duration; `10 min` when absent. */
            max_backoff?: string | null;
            mode?: components["schemas"]["FlowRetryMode"] | null;
            /** @description Relationships whose items are tried again before they are passed on: a name, or a list of at most 1,000. */
            relationships: components["schemas"]["OneOrMany_String"];
        };
        /** @description A way that a `route` component may send an item. */
        RouteSpec: {
            /** @description Expression `${{ … }}` of `attributes`, `payload` and `bytes` that is true or false. */
            if: string;
            /** @description The relationship. */
            to: string;
        };
        /**
         * @description How a worker is picked from those of the queue that have the labels of `workers`. Workers are in the order of their names.
         * @enum {string}
         */
        Routing: "any" | "first" | "last" | "round" | "random" | "consistent_hash" | "least_frequently_used" | "least_recently_used" | "failover" | "busy_over" | "sharding_broadcast";
        /** @description One execution of a job. */
        Run: {
            /**
             * Format: int32
             * @description Attempts opened so far.
             */
            attempt: number;
            /**
             * Format: int32
             * @description Attempts allowed in all.
             */
            attempts_max: number;
            caller?: components["schemas"]["RunCaller"] | null;
            cancel_requested_at?: components["schemas"]["Timestamp"] | null;
            /** @description Run whose end started this one, by an `after` trigger. */
            cause?: string | null;
            /** @description When it was recorded. */
            created_at: components["schemas"]["Timestamp"];
            deadline_at?: components["schemas"]["Timestamp"] | null;
            /** @description Whether it was unfinished then, and that was told, where one run is asked for. Absent: no. */
            deadline_missed?: boolean;
            due_at?: components["schemas"]["Timestamp"] | null;
            ended_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int32
             * @description Exit code of the newest attempt's process.
             */
            exit_code?: number | null;
            expires_at?: components["schemas"]["Timestamp"] | null;
            fire_at?: components["schemas"]["Timestamp"] | null;
            /** @description Id, ordered by time. */
            id: string;
            /** @description JSON it received. */
            input?: unknown;
            /** @description Job. */
            job: string;
            /**
             * Format: int64
             * @description Version of the job that it runs.
             */
            job_version: number;
            /** @description Labels of that version; of the run of a task, with those of the task. */
            labels?: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Handler entered minus due time.
             */
            lateness_ms?: number | null;
            logical_date?: components["schemas"]["Timestamp"] | null;
            /** @description Namespace. */
            namespace: string;
            /** @description Node that executes the newest attempt or has executed it, by name. Absent where a worker does. */
            node?: string | null;
            not_before?: components["schemas"]["Timestamp"] | null;
            /** @description What made it. */
            origin: components["schemas"]["Origin"];
            /** @description JSON it left, if that is not more than 64 KiB. */
            output?: unknown;
            output_ref?: components["schemas"]["OutputRef"] | null;
            /** @description Run of which this one is a shard or a task. */
            parent?: string | null;
            /** @description Whether a workflow run starts nothing new until it is resumed, where one run is asked for. Absent: no. */
            paused?: boolean;
            /**
             * Format: int32
             * @description Priority within the queue.
             */
            priority: number;
            /** @description Queue. */
            queue: string;
            /** @description Why it stands there, when that needs saying. */
            reason?: string | null;
            /**
             * @description Whether a failover of the database came between its due time and its record, and lost records: it may have been
             *     recorded, and done, before. Absent: no.
             */
            recovered?: boolean;
            /** @description Newest run that repeats this one, where one run of a workflow is asked for. */
            rerun_as?: string | null;
            /** @description Run that this one repeats. */
            rerun_of?: string | null;
            shard?: components["schemas"]["RunShard"] | null;
            started_at?: components["schemas"]["Timestamp"] | null;
            /** @description Where it stands. */
            state: components["schemas"]["RunState"];
            /** @description Which task of it, with the item in brackets where the task runs more than once. */
            task?: string | null;
            tasks?: components["schemas"]["TaskCounts"] | null;
            /** @description Trigger that fired, by name; absent when it was asked for. */
            trigger?: string | null;
            /**
             * @description Worker that executes the newest attempt or has executed it, by name, or that routing has picked for it. Absent also of lost
             *     attempts, and of runs of versions that did not keep it.
             */
            worker?: string | null;
        };
        /** @description A task of a workflow run that started another run. */
        RunCaller: {
            /** @description The workflow run. */
            run: string;
            /** @description Name of the task, with the item in brackets where the task runs more than once. */
            task: string;
        };
        /** @description The queue in which one run is to wait. */
        RunMove: {
            /** @description Its name. */
            queue: string;
            /** @description Why; the server notes it in its log. */
            reason?: string | null;
        };
        /** @description How a run that is asked for differs from a scheduled one. */
        RunNow: {
            /** @description Input in place of the job's; where both are mappings, laid over it key by key. */
            input?: unknown;
            /** @description Members set in the input, over the job's, at most 1,000; each must be among the job's `params` when it declares any. */
            params?: {
                [key: string]: unknown;
            };
            /**
             * Format: int32
             * @description Priority in place of the job's.
             */
            priority?: number | null;
            /** @description Why, in the user's words. */
            reason?: string | null;
        };
        /** @description Where a run that waits is to stand in its queue: at an end of it, or where a priority puts it. */
        RunPlace: {
            /** @description Who asks, as the caller says, such as `ann@laptop`. */
            by?: string | null;
            /**
             * Format: int32
             * @description In place of an end: the priority that it gets.
             */
            priority?: number | null;
            /** @description Why; kept among the changes of the queue. */
            reason?: string | null;
            to?: components["schemas"]["QueueEnd"] | null;
        };
        /** @description Which part of a run another one executes for it. */
        RunShard: {
            /**
             * Format: int32
             * @description From 0.
             */
            index: number;
            /**
             * Format: int32
             * @description How many there are.
             */
            total: number;
        };
        /**
         * @description Where a run stands.
         * @enum {string}
         */
        RunState: "waiting" | "held" | "scheduled" | "queued" | "running" | "succeeded" | "failed" | "cancelled" | "skipped" | "unknown";
        /** @description A run in brief. */
        RunSummary: {
            ended_at?: components["schemas"]["Timestamp"] | null;
            fire_at?: components["schemas"]["Timestamp"] | null;
            /** @description Id. */
            id: string;
            started_at?: components["schemas"]["Timestamp"] | null;
            /** @description Where it stands. */
            state: components["schemas"]["RunState"];
        };
        /** @description A task of a workflow run, or one item of a task that runs more than once. */
        RunTask: {
            /**
             * Format: int32
             * @description Attempts that this run has opened.
             */
            attempt?: number | null;
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description Whether it runs when all others have ended. */
            finally?: boolean;
            /**
             * Format: int32
             * @description How often it was made to wait again.
             */
            generation: number;
            /** @description Group that it lies in. */
            group?: string | null;
            items?: components["schemas"]["TaskCounts"] | null;
            /** @description Workflow run that ran it, where this one repeats that and has kept the task. */
            kept_from?: string | null;
            /** @description Name; of an item, with its number in brackets. */
            name: string;
            /** @description Tasks that must end first. */
            needs?: string[];
            /** @description Why it stands there, when that needs saying. */
            reason?: string | null;
            /** @description Its newest run. */
            run?: string | null;
            run_state?: components["schemas"]["RunState"] | null;
            since?: components["schemas"]["Timestamp"] | null;
            started_at?: components["schemas"]["Timestamp"] | null;
            /** @description Where it stands. */
            state: components["schemas"]["TaskState"];
            tasks?: components["schemas"]["TaskCounts"] | null;
            /** @description When it may run, given how these ended. */
            trigger_rule: components["schemas"]["TriggerRule"];
        };
        /** @description A task of a workflow run with what it waits for. */
        RunTaskDetail: {
            /** @description The task. */
            task: components["schemas"]["RunTask"];
            /** @description Why it stands where it does: which tasks, which rule, which limit. */
            why: components["schemas"]["Why"];
        };
        /**
         * @description From where a version of a job was saved.
         * @enum {string}
         */
        SavedFrom: "console" | "cli" | "api" | "operation" | "xxl" | "unknown";
        /**
         * @description What a script is written in.
         * @enum {string}
         */
        ScriptLanguage: "shell" | "python" | "node" | "php" | "powershell";
        /**
         * @description A script that a server or worker executes. They do so only when started with `--scripts`.
         *
         *     The interpreter reads the script from a private file, which goes with the attempt. Environment, output, log and time limits are those
         *     of `exec`.
         */
        ScriptSpec: {
            /** @description Its arguments; at most 10,000. */
            args?: string[];
            /** @description What it is written in. The interpreter is found in `PATH`. */
            language: components["schemas"]["ScriptLanguage"];
            /** @description The script; at most 256 KiB. */
            source: string;
            /**
             * @description `true` gives it the arguments that XXL-JOB gives to scripts, in place of `args`: the parameter, its shard from 0, and the number of
             *     shards. The parameter is the input of the run, a text as it is and anything else as JSON.
             */
            xxl_args?: boolean;
        };
        /**
         * @description Which rules hold at clock changes and in other corners where Quartz is odd.
         * @enum {string}
         */
        Semantics: "standard" | "quartz";
        /** @description The server that answers. */
        ServerInfo: {
            /** @description Zone of triggers that name none. */
            default_timezone: string;
            /** @description Incarnation of the node. */
            node: string;
            /** @description Its clock. */
            now: components["schemas"]["Timestamp"];
            /** @description When the process started. */
            started_at: components["schemas"]["Timestamp"];
            /** @description Kind of store: `sqlite`, `memory`, …. */
            store: string;
            /** @description Version of its time zone data. */
            tzdata: string;
            /** @description Version of mainspring. */
            version: string;
            /** @description What puts at risk what the store keeps, or will stop it one day. Empty if all is well. */
            warnings?: components["schemas"]["StoreWarning"][];
        };
        /** @description Who asks, and whom. */
        Session: {
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description With what the request was let in. */
            kind: components["schemas"]["SessionKind"];
            /** @description Name of the node that answers. */
            node: string;
            /** @description Its version. */
            version: string;
        };
        /**
         * @description With what a request was let in.
         * @enum {string}
         */
        SessionKind: "session" | "token" | "unknown";
        /** @description What was set for a queue. */
        SettingsChange: {
            /** @description What it is since. */
            after: components["schemas"]["QueueSettings"];
            /** @description What it was. */
            before: components["schemas"]["QueueSettings"];
        };
        /** @description A fixed part of all jobs, whose triggers one node fires. */
        Shard: {
            /**
             * Format: int64
             * @description How often it has been taken, where nodes share the store.
             */
            epoch?: number | null;
            /** @description Name of its owner. */
            node?: string | null;
            /**
             * Format: int32
             * @description Its number, from 0.
             */
            number: number;
            /** @description Incarnation of its owner; nobody's while it passes from one to another. */
            owner?: string | null;
        };
        /** @description Shards that came from one node to another at a time. */
        ShardMove: {
            /** @description When the node that answers saw it. */
            at: components["schemas"]["Timestamp"];
            /** @description Name of the owner before; absent where that is not known. */
            from?: string | null;
            /** @description Their numbers. */
            shards: number[];
            /** @description Name of the owner since. The same as `from` where the node started anew. */
            to: string;
            /**
             * Format: int64
             * @description How long the one that waited longest had no owner.
             */
            unowned_ms: number;
        };
        /** @description Who has a shard, and since when. */
        ShardOwner: {
            /**
             * Format: int64
             * @description How often it has been taken, where nodes share the store.
             */
            epoch?: number | null;
            /** @description Name of its owner; absent while it passes from one to another. */
            node?: string | null;
            /**
             * Format: int32
             * @description Its number, from 0.
             */
            shard: number;
            since?: components["schemas"]["Timestamp"] | null;
        };
        /** @description What a session is begun with: one of the two. */
        SignIn: {
            /** @description The code of a login link: what follows its `#`. */
            code?: string | null;
            /** @description The access token. */
            token?: string | null;
        };
        /**
         * @description How an item is divided: one of `lines`, `separator` and `json`. Each part has its attributes, and `split.index` from 1,
         *     `split.count` and `split.item`. There are 10,000 parts at most; else the item goes to `failure`.
         */
        SplitSpec: {
            /** @description `true` makes a part of each member of a JSON array. */
            json?: boolean;
            /**
             * Format: int32
             * @description So many lines make a part.
             */
            lines?: number | null;
            /** @description This text stands between parts. */
            separator?: string | null;
        };
        /** @description Something about the store that people should hear of. */
        StoreWarning: {
            /** @description Stable name: `store.not_durable`, `store.few_sessions`, `store.old_transaction`, `store.many_writers`, `store.disk_low`, `trigger.error`, `clock.jump`, `clock.future`. */
            code: string;
            /** @description What to do about it. */
            hint: string;
            /** @description What is so. */
            message: string;
        };
        /** @description A server or a worker, and whether it could execute a run. */
        Taker: {
            /** @description Whether it could. */
            fit: components["schemas"]["Fit"];
            /** @description Id of its process. */
            id: string;
            /** @description Whether it is a server or a worker. */
            kind: components["schemas"]["TakerKind"];
            /** @description What people call it. */
            name: string;
            /** @description Why not, or not now. */
            reasons?: components["schemas"]["MatchReason"][];
            /**
             * Format: int32
             * @description Runs that it executes now.
             */
            running?: number | null;
            /**
             * Format: int32
             * @description Runs that it executes at a time; absent where it is not known.
             */
            slots?: number | null;
            /** @description What program it is. */
            version?: string | null;
        };
        /**
         * @description What executes runs.
         * @enum {string}
         */
        TakerKind: "node" | "worker" | "unknown";
        /** @description What of a workflow run is to end. */
        TaskCancel: {
            /** @description Who asks, as the caller says; the server notes it and cannot check it. */
            by?: string | null;
            /** @description Whether all tasks end, too, that need it, directly or not. Those that run last still run. */
            downstream?: boolean;
            /** @description Why. */
            reason?: string | null;
        };
        /** @description How many tasks are in each state. States without a task are left out. */
        TaskCounts: {
            /**
             * Format: int32
             * @description Ended on request.
             */
            cancelled?: number;
            /**
             * Format: int32
             * @description Done, and not well.
             */
            failed?: number;
            /**
             * Format: int32
             * @description Owed a run.
             */
            ready?: number;
            /**
             * Format: int32
             * @description With a run that is not final.
             */
            running?: number;
            /**
             * Format: int32
             * @description Left out.
             */
            skipped?: number;
            /**
             * Format: int32
             * @description Done, and well.
             */
            succeeded?: number;
            /**
             * Format: int32
             * @description All of them.
             */
            total: number;
            /**
             * Format: int32
             * @description Never started, because of others.
             */
            upstream_failed?: number;
            /**
             * Format: int32
             * @description Not allowed yet.
             */
            waiting?: number;
        };
        /** @description What a task is taken for. */
        TaskMark: {
            /** @description Who asks, as the caller says; the server notes it and cannot check it. */
            by?: string | null;
            /** @description Why. */
            reason?: string | null;
            /** @description How it ended. */
            state: components["schemas"]["Marked"];
        };
        /**
         * @description A task of a workflow: what to do, after which others, and under which policies.
         *
         *     Exactly one of `run`, `exec`, `script`, `http`, `handler`, `noop`, `wait`, `approval` and `workflow` says what to do. Texts may hold `${{ … }}`.
         *
         *     ```
         *     let spec: mainspring_api::JobSpec = serde_json::from_str(
         *         r#"{"name": "etl", "tasks": {"load": {"run": "./load"}, "report": {"run": "./report", "needs": "load"}}}"#,
         *     )?;
         *     assert_eq!(spec.tasks["report"].needs.as_ref().unwrap().as_slice(), ["load".into()]);
         *     # Ok::<(), serde_json::Error>(())
         *     ```
         */
        TaskSpec: {
            approval?: components["schemas"]["ApprovalSpec"] | null;
            /** @description Whether tasks that need this one count its failure as success, and the workflow does not fail by it. */
            continue_on_error?: boolean;
            /** @description What the task is for, in the user's words. */
            description?: string | null;
            /** @description Environment variables of the process, beside those of the workflow; at most 1,000. */
            env?: {
                [key: string]: string;
            };
            /** @description A program and its arguments, without a shell; at most 10,000. */
            exec?: string[] | null;
            /** @description Whether the task runs when all others have ended, however they did. */
            finally?: boolean;
            /** @description Group that the task lies in. */
            group?: string | null;
            /** @description A function registered under this name by a worker or an embedding program. */
            handler?: string | null;
            http?: components["schemas"]["HttpTask"] | null;
            /** @description Expression `${{ … }}` that is true or false, asked once all tasks that it needs have ended: the task is skipped when false. */
            if?: string | null;
            /** @description JSON that the task receives; that of the workflow when absent. */
            input?: unknown;
            /** @description What a `workflow` is given, member by member: JSON whose texts may hold `${{ … }}`. At most 250. */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Keys and values to find runs of the task by, beside those of the workflow; at most 250. */
            labels?: {
                [key: string]: string;
            };
            /** @description Expression `${{ … }}` that is a list: the task runs once for each item, at most 10,000 times. */
            map?: string | null;
            /**
             * @description The task runs once for each combination of one value of each list, of which there are at most 10; together at most
             *     10,000 times.
             */
            matrix?: {
                [key: string]: unknown[];
            };
            /**
             * Format: int32
             * @description How many runs of a `matrix` or `map` are under way at once; all when absent.
             */
            max_parallel?: number | null;
            needs?: components["schemas"]["OneOrMany_NeedSpec"] | null;
            /** @description `true` does nothing and succeeds. */
            noop?: boolean;
            on_lost?: components["schemas"]["OnLost"] | null;
            /** @description Names of the values that the task leaves for those that need it; at most 1,000. */
            outputs?: string[];
            /**
             * Format: int32
             * @description Higher starts first within a queue; that of the workflow when absent.
             */
            priority?: number | null;
            /** @description Queue in which runs wait for a worker; that of the workflow when absent. */
            queue?: string | null;
            /**
             * Format: int32
             * @description Further attempts after a failed one, 0 to 1,000.
             */
            retries?: number | null;
            retry_backoff?: components["schemas"]["Backoff"] | null;
            /** @description Pause before each further attempt, as a duration. */
            retry_delay?: string | null;
            /** @description Up to this much is added to each pause, as a duration. */
            retry_jitter?: string | null;
            /** @description Longest pause of an `exponential` backoff, as a duration. */
            retry_max_delay?: string | null;
            retry_on?: components["schemas"]["OneOrMany_RetryOn"] | null;
            routing?: components["schemas"]["Routing"] | null;
            /** @description A line for `/bin/sh`. */
            run?: string | null;
            /** @description Time all attempts and the pauses between them may take, as a duration. */
            run_timeout?: string | null;
            script?: components["schemas"]["ScriptSpec"] | null;
            /** @description Time the task may wait for its first attempt once it is ready, as a duration. */
            start_timeout?: string | null;
            /** @description Time an attempt may take, as a duration. */
            timeout?: string | null;
            trigger_rule?: components["schemas"]["TriggerRule"] | null;
            wait?: components["schemas"]["WaitSpec"] | null;
            /** @description Labels that a worker must have to get runs of the task: every pair. At most 100. */
            workers?: {
                [key: string]: string;
            };
            /**
             * @description Starts a workflow, or another job, of the same namespace, and waits for it: its end is that of the task, and its output the
             *     task's. A further attempt starts another run.
             */
            workflow?: string | null;
            /** @description Working directory of the process. */
            working_dir?: string | null;
        };
        /**
         * @description Where a task of a workflow run stands.
         * @enum {string}
         */
        TaskState: "waiting" | "ready" | "running" | "succeeded" | "failed" | "upstream_failed" | "skipped" | "cancelled" | "unknown";
        /**
         * Format: date-time
         * @description RFC 3339 instant in UTC with milliseconds
         */
        Timestamp: string;
        /** @description A trigger with what the server knows about it. */
        Trigger: {
            /** @description Run whose end a `delay` trigger awaits. */
            awaiting_run?: string | null;
            /** @description Its job is at its limit, and `overlap: hold` keeps the trigger waiting. */
            blocked: boolean;
            /** @description Calendar that removes fire times. */
            calendar?: string | null;
            due_at?: components["schemas"]["Timestamp"] | null;
            /** @description The schedule in words, naming the cron dialect. */
            explanation: string;
            /** @description Id, stable across edits. */
            id: string;
            /** @description Job. */
            job: string;
            /** @description Its job is paused, so it does not fire either. */
            job_paused?: boolean;
            /** @description `namespace/job/trigger`. */
            key: string;
            /** @description Kind of schedule. */
            kind: components["schemas"]["TriggerKind"];
            /** @description Misfire policy in force. */
            misfire: components["schemas"]["Misfire"];
            /** @description Name within the job. */
            name: string;
            /** @description Namespace. */
            namespace: string;
            next_fire_at?: components["schemas"]["Timestamp"] | null;
            /** @description Why it was paused. This and the next two are there while it is paused, if somebody asked for the pause. */
            pause_reason?: string | null;
            /** @description Paused itself; the pause of its job is not counted here. */
            paused: boolean;
            paused_at?: components["schemas"]["Timestamp"] | null;
            /** @description Who paused it. */
            paused_by?: string | null;
            previous_fire_at?: components["schemas"]["Timestamp"] | null;
            /** @description Rules in force at clock changes. */
            semantics: components["schemas"]["Semantics"];
            /** @description The trigger as it was written. */
            spec: components["schemas"]["TriggerSpec"];
            /** @description Whether it can still fire. */
            state: components["schemas"]["TriggerState"];
            /** @description Why it is in `error`. */
            state_reason?: string | null;
            /**
             * Format: int64
             * @description Fires so far.
             */
            times_triggered: number;
            /** @description Zone in which the schedule is read. */
            timezone: string;
            /**
             * Format: int64
             * @description Version: rises with every change that affects a fire.
             */
            version: number;
        };
        /**
         * @description Kinds of trigger.
         * @enum {string}
         */
        TriggerKind: "cron" | "every" | "at" | "calendar_interval" | "daily_window" | "delay" | "after";
        /**
         * @description When a task may run, given how the tasks that it needs ended. A task that needs none runs under any rule.
         * @enum {string}
         */
        TriggerRule: "all_success" | "none_failed" | "none_failed_min_one_success" | "none_skipped" | "all_done" | "all_done_min_one_success" | "all_failed" | "all_skipped" | "one_success" | "one_failed" | "one_done" | "always";
        /**
         * @description When a job fires.
         *
         *     Exactly one of `cron`, `every`, `at`, `calendar_interval`, `daily_window`, `delay` and `after` is set.
         */
        TriggerSpec: {
            after?: components["schemas"]["OneOrMany_String"] | null;
            /** @description Kind: one instant, RFC 3339 or local to the zone (`2026-12-31 23:59`). */
            at?: string | null;
            /** @description Calendar that removes fire times. */
            calendar?: string | null;
            calendar_interval?: components["schemas"]["CalendarInterval"] | null;
            /** @description Kind: a cron expression. Five fields are Unix cron, six or seven are Quartz, `@daily` and its kin are names. */
            cron?: string | null;
            daily_window?: components["schemas"]["DailyWindow"] | null;
            /** @description Kind: a pause after the end of the run before, as a duration (`10 sec` works too). */
            delay?: string | null;
            /**
             * @description End of the schedule; RFC 3339, or local to the zone. `cron` and `daily_window` may fire at it, `every` and
             *     `calendar_interval` end before it.
             */
            end_at?: string | null;
            /** @description Kind: a fixed interval, as a duration, counted from `start_at`. */
            every?: string | null;
            /** @description JSON for the runs that it fires: its members go over those of the job's input. */
            input?: unknown;
            /** @description Longest delay added to each fire, as a duration; the same for each fire of the trigger. */
            jitter?: string | null;
            misfire?: components["schemas"]["Misfire"] | null;
            /** @description Lateness beyond which a fire time is a misfire, as a duration; the server's setting when absent. */
            misfire_threshold?: string | null;
            /** @description Name, unique in its job; made from the kind when absent. */
            name?: string | null;
            on?: components["schemas"]["AfterOn"] | null;
            /** @description Does not fire while true. */
            paused?: boolean | null;
            /**
             * Format: int32
             * @description Higher fires first among those due at one instant; 5 when absent.
             */
            priority?: number | null;
            /**
             * Format: int32
             * @description Fires after the first one, for `every` and `daily_window`; without end when absent.
             */
            repeat_count?: number | null;
            semantics?: components["schemas"]["Semantics"] | null;
            /** @description No fire before this instant; RFC 3339, or local to the zone. */
            start_at?: string | null;
            /** @description IANA time zone (`Europe/Berlin`). */
            timezone?: string | null;
        };
        /**
         * @description Whether a trigger can still fire.
         * @enum {string}
         */
        TriggerState: "active" | "complete" | "error" | "unknown";
        /** @description A saved view. */
        View: {
            /** @description Which columns are shown, in order. */
            columns?: string[];
            /** @description By what its rows are grouped: a field such as `owner`, or `label:NAME`. */
            group?: string | null;
            /** @description Its name. */
            name: string;
            /** @description The page: `jobs`, `runs`. */
            page: string;
            /** @description What is looked for there. */
            query?: string | null;
            /** @description By what it is sorted. */
            sort?: string | null;
            /** @description When it was changed last. */
            updated_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Counts its changes, from 1; also in `ETag`.
             */
            version: number;
        };
        /** @description What a page shows, under a name: shared by all. */
        ViewSpec: {
            /** @description Which columns are shown, in order. */
            columns?: string[];
            /** @description By what its rows are grouped: a field such as `owner`, or `label:NAME`. */
            group?: string | null;
            /** @description The page: `jobs`, `runs`. */
            page: string;
            /** @description What is looked for there. */
            query?: string | null;
            /** @description By what it is sorted. */
            sort?: string | null;
        };
        /** @description How long a task waits: exactly one of `for`, `until` and `at`. */
        WaitSpec: {
            /** @description A time of day, such as `18:00`: the next time that clocks show it from when the task may run. */
            at?: string | null;
            /** @description Time from when the task may run, as a duration. */
            for?: string | null;
            /** @description IANA time zone of `at`; that of the workflow when absent. */
            timezone?: string | null;
            /**
             * @description An instant, such as `2026-01-30T12:00:00Z`, or a local time in the zone of the workflow; or a text whose `${{ … }}` make one.
             *     An instant that is past holds nothing up.
             */
            until?: string | null;
        };
        /** @description A webhook. */
        Webhook: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            disabled_at?: components["schemas"]["Timestamp"] | null;
            /** @description Why it rests. */
            disabled_reason?: string | null;
            /** @description Types of events. */
            events: string[];
            failing_since?: components["schemas"]["Timestamp"] | null;
            /** @description Only events of this job of the namespace. */
            job?: string | null;
            /** @description Name. */
            name: string;
            /** @description Only events of this namespace. */
            namespace?: string | null;
            previous_secret_until?: components["schemas"]["Timestamp"] | null;
            /** @description The secret that messages are signed with: only where it is made, and never again. */
            secret?: string | null;
            /** @description Where messages are posted. Lists, and those who may not change it, show scheme and host alone: the rest may be a secret. */
            url: string;
        };
        /** @description A message to a webhook, and what became of it so far. */
        WebhookDelivery: {
            /**
             * Format: int32
             * @description How often it was sent.
             */
            attempts: number;
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            ended_at?: components["schemas"]["Timestamp"] | null;
            /** @description What went wrong last. */
            error?: string | null;
            /** @description Position in the list. */
            id: string;
            /** @description The id of the message, as its header `webhook-id` says it: the same however often it is sent. */
            message: string;
            next_at?: components["schemas"]["Timestamp"] | null;
            /** @description Where it stands. */
            state: components["schemas"]["DeliveryState"];
            /**
             * Format: int32
             * @description The HTTP status that the receiver answered last.
             */
            status?: number | null;
            /** @description Type of the event. */
            type: string;
        };
        /** @description An address that is to be told of events. */
        WebhookSpec: {
            /** @description Types of events: `run.failed`, `run.*`, `*`. When absent or empty: runs that are over, and missed instants. */
            events?: string[];
            /** @description Only events of this job of the namespace. */
            job?: string | null;
            /** @description What people call it; unique. */
            name: string;
            /** @description Only events of this namespace. */
            namespace?: string | null;
            /** @description Where messages are posted: `https://…`, or `http://…`. */
            url: string;
        };
        /** @description Why a run, a trigger or a job is not running now, or that it is. */
        Why: {
            /** @description What it waits for or what stands in its way, in the order in which that has to go. Never empty. */
            reasons: components["schemas"]["WhyReason"][];
            /** @description The run's id, `namespace/job/trigger`, or `namespace/job`. */
            subject: string;
        };
        /**
         * @description Kinds of reasons.
         * @enum {string}
         */
        WhyCode: "running" | "cancel_requested" | "final" | "not_before" | "job_limit" | "no_slot" | "no_worker" | "queue_paused" | "queue_limit" | "slow_share" | "label_limit" | "queue_order" | "draining" | "about_to_start" | "job_paused" | "no_trigger" | "trigger_paused" | "trigger_complete" | "trigger_error" | "awaits_run" | "awaits_tasks" | "task_rule" | "task_limit" | "awaits_approval" | "run_paused" | "not_due" | "cause" | "awaits_job" | "unknown";
        /** @description One thing that something waits for. */
        WhyReason: {
            /** @description For programs. */
            code: components["schemas"]["WhyCode"];
            /** @description What to do about it, if something can be done. */
            hint?: string | null;
            /** @description For people. */
            message: string;
            /** @description Ids of runs that are waited for, 100 at most. */
            runs?: string[];
            /** @description The task that this is about. */
            task?: string | null;
            /** @description The trigger that this is about; absent if it is about the whole. */
            trigger?: string | null;
            until?: components["schemas"]["Timestamp"] | null;
        };
        /** @description A worker as the API shows it. */
        Worker: {
            /**
             * Format: int64
             * @description How far its clock is ahead of the server's, in milliseconds, less what a message needs; absent until it has told its time.
             */
            clock_offset_ms?: number | null;
            /** @description Whether it drains: it finishes what it has, and is given nothing new. */
            draining?: boolean;
            /** @description When it was heard last, give or take two seconds. */
            heard_at: components["schemas"]["Timestamp"];
            /** @description Id. */
            id: string;
            /** @description When it joined. */
            joined_at: components["schemas"]["Timestamp"];
            /** @description Labels. */
            labels?: {
                [key: string]: string;
            };
            /** @description What people call it. */
            name: string;
            /** @description Node that heard from it last, by name; absent if that node is gone. */
            node?: string | null;
            /** @description Queues that it takes runs from. */
            queues: string[];
            /**
             * Format: int32
             * @description Runs that it executes now.
             */
            running: number;
            /**
             * Format: int32
             * @description Runs that it executes at a time.
             */
            slots: number;
            /** @description What program it is. */
            version?: string | null;
        };
        /** @description The end of an attempt. */
        WorkerEnd: {
            /**
             * Format: int32
             * @description Attempt, from 1.
             */
            attempt: number;
            /**
             * @description What the job keeps from now on: an object, at most 64 KiB. Absent where that stays as it is. Counts with the outcome
             *     `succeeded`, and for jobs that were given out with `data`.
             */
            data?: unknown;
            /** @description When it ended, by the worker's clock. */
            ended_at: components["schemas"]["Timestamp"];
            /** @description The error in a line for people. */
            error?: string | null;
            /** @description Stable code of the error. */
            error_code?: string | null;
            /**
             * Format: int32
             * @description Exit code of the process, or HTTP status.
             */
            exit_code?: number | null;
            /** @description How it ended: `succeeded`, `failed`, `timed_out`, `cancelled`, or `lost` for one that the worker knows nothing of any more. */
            outcome: components["schemas"]["AttemptState"];
            /** @description JSON it left, at most 16 MiB. */
            output?: unknown;
            /** @description Run. */
            run: string;
            /**
             * Format: int32
             * @description The signal that ended the process.
             */
            signal?: number | null;
            started_at?: components["schemas"]["Timestamp"] | null;
        };
        /** @description An attempt that a worker has. */
        WorkerHolding: {
            /**
             * Format: int32
             * @description Attempt, from 1.
             */
            attempt: number;
            /** @description Run. */
            run: string;
        };
        /** @description A log line. */
        WorkerLine: {
            /** @description When it was written, by the worker's clock. */
            at: components["schemas"]["Timestamp"];
            /** @description The line goes on in the next one of the same stream. */
            partial?: boolean;
            /** @description Where it was written. */
            stream: components["schemas"]["LogStream"];
            /** @description The text, without line end, at most 16 KiB. */
            text: string;
        };
        /** @description Consecutive log lines of an attempt. */
        WorkerLog: {
            /**
             * Format: int32
             * @description Attempt, from 1.
             */
            attempt: number;
            /**
             * Format: int64
             * @description Index of the first line within the attempt, from 0. Lines that are there already are passed over.
             */
            first_line: number;
            /** @description The lines, at least one. */
            lines: components["schemas"]["WorkerLine"][];
            /** @description Run. */
            run: string;
        };
        /** @description What there is to do. */
        WorkerOrders: {
            /** @description Runs whose end is asked for: they are to be reported, as `cancelled` if that is what they come to. */
            cancel: string[];
            /** @description Whether the server stops and starts nothing more: a worker that knows another server asks that one. */
            draining?: boolean;
            /**
             * Format: int64
             * @description How long after the poll has come this is said, in milliseconds: the worker is heard at least so long after it sent it.
             */
            held_ms?: number | null;
            /** @description Runs to start. */
            runs: components["schemas"]["WorkerRun"][];
        };
        /** @description Asks what there is to do. */
        WorkerPoll: {
            /**
             * Format: int32
             * @description How many more runs it takes at most; the server gives no more than its slots less those that it has. 0: none, but it hears of
             *     runs that are to end.
             */
            free: number;
            now?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description One higher with each poll. A poll that is older than another one is answered `worker.stale_poll`.
             */
            number: number;
            /**
             * @description Every attempt that it was given and whose end the server has not recorded yet. What it was given and does not name here is
             *     given to it again: the answer that told of it was lost.
             */
            runs: components["schemas"]["WorkerHolding"][];
            /**
             * Format: int64
             * @description How long to hold the poll at most while there is nothing to say, in milliseconds; as the terms say if absent.
             */
            wait_ms?: number | null;
        };
        /** @description What became of a report. */
        WorkerReceipt: {
            /** @description Ends that were refused: the attempt is not this worker's, or over already. Nothing is to be done about them. */
            refused: components["schemas"]["WorkerHolding"][];
        };
        /** @description What became of runs. All of it is recorded when the report is answered; it may be repeated. */
        WorkerReport: {
            /** @description Ends of attempts. */
            ends?: components["schemas"]["WorkerEnd"][];
            /** @description Log lines. Those of an attempt go before its end. */
            logs?: components["schemas"]["WorkerLog"][];
            /** @description The worker's clock: the server takes its own for the times below, and this for the difference. */
            now: components["schemas"]["Timestamp"];
        };
        /** @description A run to execute. */
        WorkerRun: {
            /**
             * Format: int32
             * @description Attempt, from 1.
             */
            attempt: number;
            /** @description What the job keeps between its runs: an object. Absent where it keeps nothing. */
            data?: unknown;
            /** @description When it was due. */
            due_at: components["schemas"]["Timestamp"];
            /** @description Environment of processes. */
            env?: {
                [key: string]: string;
            };
            /** @description The instant it stands for; for a run that was asked for, the time of asking. */
            fire_at: components["schemas"]["Timestamp"];
            /** @description Its input: what was given with the run over what the job says. */
            input: unknown;
            /** @description Job. */
            job: string;
            /** @description What becomes of processes that a program leaves running when it ends by itself; `warn` if absent. */
            leftovers?: components["schemas"]["Leftovers"];
            /** @description Namespace. */
            namespace: string;
            /** @description Id: the same for every attempt. */
            run: string;
            shard?: components["schemas"]["RunShard"] | null;
            /** @description Whether others may be given it, or its slot, once this worker is taken for dead: then the worker has to end it before. */
            shared: boolean;
            /** @description What to do. */
            task: components["schemas"]["WorkerTask"];
            /**
             * Format: int64
             * @description Limit of the attempt, in milliseconds. The worker ends it then, and reports `timed_out`.
             */
            timeout_ms?: number | null;
            /** @description Where a process starts; a private, temporary folder if absent. */
            working_dir?: string | null;
        };
        /** @description What a worker says of itself when it joins. */
        WorkerSpec: {
            /** @description For selecting; free pairs, at most 100. */
            labels?: {
                [key: string]: string;
            };
            /** @description What people call it. */
            name: string;
            /** @description Queues that it takes runs from: the first first. At most 1,000. */
            queues: string[];
            /**
             * Format: int32
             * @description Runs that it executes at a time, at least 1.
             */
            slots: number;
            /** @description What program it is. */
            version?: string | null;
        };
        /** @description What a worker does for a run. */
        WorkerTask: {
            /** @enum {string} */
            kind: "run";
            /** @description Text for the shell. */
            script: string;
            /** @description The shell; `sh` if absent. */
            shell?: string | null;
        } | {
            /** @description Program first. */
            argv: string[];
            /** @enum {string} */
            kind: "exec";
        } | {
            /** @description Its arguments. */
            args?: string[];
            /** @enum {string} */
            kind: "script";
            /** @description What it is written in. */
            language: components["schemas"]["ScriptLanguage"];
            /** @description The script. */
            source: string;
            /** @description Whether it has XXL-JOB's three arguments in place of `args`. */
            xxl_args?: boolean;
        } | {
            /** @description Sent as it is. */
            body?: string | null;
            /** @description Inclusive ranges of status codes that count as success; 200–299 if empty. */
            expect?: [
                number,
                number
            ][];
            /** @description Name and value, in order. */
            headers?: [
                string,
                string
            ][];
            /** @enum {string} */
            kind: "http";
            /**
             * Format: int32
             * @description How many redirects are followed; 3 if absent.
             */
            max_redirects?: number | null;
            /** @description `GET`, `POST`, … */
            method: string;
            /**
             * Format: int64
             * @description Limit of the call, in milliseconds.
             */
            timeout_ms?: number | null;
            /** @description Absolute, http or https. */
            url: string;
            /** @description Whether the server's certificate must be valid. */
            verify_tls: boolean;
        } | {
            /** @enum {string} */
            kind: "handler";
            /** @description Its name. */
            name: string;
        } | {
            /** @enum {string} */
            kind: "noop";
        } | {
            /** @enum {string} */
            kind: "unknown";
        };
        /** @description The terms on which a worker has joined. */
        WorkerTerms: {
            /** @description Whether polls may say the worker's time in `now`. */
            clock?: boolean;
            /**
             * Format: int64
             * @description When nothing was answered that was sent within this many milliseconds, others may be given its runs: it ends those that say
             *     `shared`.
             */
            give_up_ms: number;
            /**
             * Format: int64
             * @description How long a poll is held at most while there is nothing to say, in milliseconds.
             */
            hold_ms: number;
            /**
             * @description Its id, for the paths of what it sends from now on. It is over once a request under it is answered
             *     `worker.not_found`: whatever the worker executes then is taken for lost.
             */
            id: string;
            /**
             * Format: int64
             * @description The same for a poll that names no runs and says so in `wait_ms`: a worker with nothing to do costs less.
             */
            idle_hold_ms?: number | null;
        };
        /** @description A token of workers. */
        WorkerToken: {
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Name. */
            name: string;
            /** @description Queues that its workers may take runs from; all if empty. */
            queues: string[];
            /** @description The token itself: only where it is made, and never again. */
            token?: string | null;
        };
        /** @description Makes a token with which workers may join and work, and nothing else. */
        WorkerTokenSpec: {
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description What people call it; unique. */
            name: string;
            /** @description Queues that its workers may take runs from; all if empty. */
            queues?: string[];
        };
        /** @description An app. */
        XxlApp: {
            /** @description Addresses of executors that do not register. */
            addresses?: string[];
            /** @description When it was made. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether jobs may send scripts to its executors. */
            glue?: boolean;
            /** @description The executors that are known to the node that answers, by address. */
            instances?: components["schemas"]["XxlInstance"][];
            /**
             * Format: int32
             * @description Executors that may register at one node at a time.
             */
            instances_max: number;
            /** @description The name that executors register with. */
            name: string;
            previous_token_until?: components["schemas"]["Timestamp"] | null;
            /** @description The queue in which runs of the app's jobs wait. */
            queue: string;
            /**
             * Format: int32
             * @description Runs that one executor is given at a time.
             */
            slots: number;
            /** @description For people. */
            title?: string | null;
            /** @description The token. It is in the answers to making an app and to replacing its token, and nowhere else. */
            token?: string | null;
            /** @description What people should hear of, such as a token that everybody knows. */
            warnings?: string[];
        };
        /** @description What may be changed about an app. What is absent stays. */
        XxlAppChange: {
            /** @description Addresses of executors that do not register, in place of those before; at most 100. */
            addresses?: string[] | null;
            /** @description Whether jobs may send scripts to its executors. */
            glue?: boolean | null;
            /**
             * Format: int32
             * @description Executors that may register at one node at a time, 1 to 20,000. Those that are there stay.
             */
            instances_max?: number | null;
            /**
             * Format: int32
             * @description Runs that one executor is given at a time, 1 to 10,000.
             */
            slots?: number | null;
            /** @description For people; at most 255 characters. */
            title?: string | null;
        };
        /** @description An app to be made: executors of that name may connect from then on. */
        XxlAppSpec: {
            /** @description Addresses of executors that do not register; at most 100. */
            addresses?: string[];
            /** @description Whether jobs may send scripts to its executors. */
            glue?: boolean;
            /**
             * Format: int32
             * @description Executors that may register at one node at a time, 1 to 20,000; 1,000 when absent.
             */
            instances_max?: number | null;
            /** @description The app name that executors register with: at most 64 letters, digits, `.`, `_` or `-`. */
            name: string;
            /**
             * Format: int32
             * @description Runs that one executor is given at a time, 1 to 10,000; 200 when absent.
             */
            slots?: number | null;
            /** @description For people; at most 255 characters. */
            title?: string | null;
            /** @description The token that executors have already; a random one is made when absent. */
            token?: string | null;
        };
        /**
         * @description What a run does while the job runs already, in XXL-JOB's words.
         * @enum {string}
         */
        XxlBlock: "serial_execution" | "discard_later" | "cover_early";
        /**
         * @description Whether requests go to an executor: three without an answer stop them for a while.
         * @enum {string}
         */
        XxlBreaker: "closed" | "open" | "trying";
        /** @description A script that an executor runs. It has three arguments: the parameter, its shard from 0, and the number of shards. */
        XxlGlue: {
            /** @description What the script is written in. */
            language: components["schemas"]["XxlLanguage"];
            /** @description What was changed, for people; at most 128 characters. */
            remark?: string | null;
            /** @description The script; at most 256 KiB. */
            source: string;
        };
        /** @description A new script for a job. */
        XxlGlueChange: {
            /** @description Who asks, for people; at most 128 characters. */
            by?: string | null;
            language?: components["schemas"]["XxlLanguage"] | null;
            /** @description What was changed, for people; at most 128 characters. */
            remark?: string | null;
            /** @description The script; at most 256 KiB. */
            source: string;
        };
        /** @description Versions that XXL-JOB kept of the script of a job. */
        XxlGlueHistory: {
            /** @description The versions, in any order; at most 100, of which the newest are kept. */
            versions: components["schemas"]["XxlGlueOld"][];
        };
        /** @description A version that XXL-JOB kept. */
        XxlGlueOld: {
            /** @description What it is written in. */
            language: components["schemas"]["XxlLanguage"];
            /** @description What was changed; at most 128 characters. */
            remark?: string | null;
            /** @description When it was saved. */
            saved_at: components["schemas"]["Timestamp"];
            /** @description The script; at most 256 KiB. */
            source: string;
            /**
             * Format: int64
             * @description Its id in the table `xxl_job_logglue`. One that is there already is not added again.
             */
            xxl_id: number;
        };
        /** @description How an older script becomes the current one again. */
        XxlGlueRollback: {
            /** @description Who asks, for people; at most 128 characters. */
            by?: string | null;
            /**
             * Format: int64
             * @description The `glue_updatetime` of the version as it was seen; refused as `resource.stale` if the version has another one by now, because
             *     versions that are brought from XXL-JOB number all anew.
             */
            glue_updatetime?: number | null;
            /** @description Why, for people; at most 128 characters. It names the version when absent. */
            remark?: string | null;
        };
        /** @description A version of the script of a job. The newest 30 are kept. */
        XxlGlueVersion: {
            /** @description Who saved it, as far as that is known. */
            by?: string | null;
            /**
             * Format: int64
             * @description How long it is, in bytes.
             */
            bytes: number;
            /** @description Whether runs that begin now are sent it. */
            current?: boolean;
            /**
             * Format: int64
             * @description The `glueUpdatetime` that executors are sent with it. It is made of the script, so an older script has the one again that it had.
             */
            glue_updatetime: number;
            /** @description What it is written in. */
            language: components["schemas"]["XxlLanguage"];
            /** @description What was changed, for people. */
            remark?: string | null;
            /** @description When it was saved. */
            saved_at: components["schemas"]["Timestamp"];
            /** @description The script; absent in lists. */
            source?: string | null;
            /**
             * Format: int32
             * @description Its number, from 1. Versions that are brought from XXL-JOB go before those that are there, and these get higher numbers then.
             */
            version: number;
            /**
             * Format: int64
             * @description Its id in XXL-JOB's table `xxl_job_logglue`, if it was there.
             */
            xxl_id?: number | null;
        };
        /** @description An executor. */
        XxlInstance: {
            /** @description Where it is called. */
            address: string;
            /** @description Whether runs may be sent to it: something of it was heard within 90 s, and it has not said that it goes. */
            alive: boolean;
            /** @description The app that it belongs to. */
            app: string;
            beat_at?: components["schemas"]["Timestamp"] | null;
            breaker?: components["schemas"]["XxlBreaker"] | null;
            breaker_until?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description How far its clock is ahead of the server's, in milliseconds, to the second; absent for those that do not tell their time, as
             *     Java's.
             */
            clock_offset_ms?: number | null;
            /** @description The releases of XXL-JOB whose dialect it speaks, such as `3.3-3.4`; absent while several are possible. */
            dialect?: string | null;
            heard_at?: components["schemas"]["Timestamp"] | null;
            /** @description What was tried and does not work: `idle_beat`, `kill`, `log`, `token`. */
            lacks?: string[];
            /** @description Whether it has said that it goes. */
            left?: boolean;
            /** @description Whether a person has entered its address. */
            manual?: boolean;
            /**
             * Format: int32
             * @description Runs that it has, if the node that answers sends them.
             */
            running?: number | null;
        };
        /**
         * @description What a script is written in. Executors start what they have under that name.
         * @enum {string}
         */
        XxlLanguage: "groovy" | "shell" | "python" | "python2" | "node" | "php" | "powershell";
        /**
         * @description A handler of an XXL-JOB executor. Runs wait in the queue `xxl.APP`, and the `input` of a run, if there is one, stands in the place
         *     of `params`: a text as it is, anything else as JSON.
         */
        XxlTask: {
            /** @description The app that the executor registers with. */
            app: string;
            block?: components["schemas"]["XxlBlock"] | null;
            glue?: components["schemas"]["XxlGlue"] | null;
            /** @description Name of the handler there. */
            handler?: string;
            /**
             * Format: int32
             * @description The job's number for executors, 1 to 999,999,999: what it had in XXL-JOB. The server gives one when absent.
             */
            id?: number | null;
            /**
             * @description The parameter, one text; empty when absent. `{{planned}}` in it becomes the fire time of the run, `{{planned_ms}}` the same in
             *     milliseconds since 1970 UTC, `{{run}}` its id, and `{{attempt}}` the number of the attempt.
             */
            params?: string | null;
        };
        /** @description How the token of an app is replaced. */
        XxlTokenRotation: {
            /** @description Ends the token before at once; else it opens for another day. */
            at_once?: boolean;
            /** @description The new token; a random one when absent. */
            token?: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    alerts_channels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_channel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_put_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                channel: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertChannelSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_delete_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_test_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDelivery"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_deliveries: {
        parameters: {
            query?: {
                /** @description Only those to a channel. */
                channel?: string;
                /** @description Continues after the page before. */
                cursor?: string;
                /** @description Only those of a job. */
                job?: string;
                /** @description Most that are returned: 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Only those of a namespace. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_AlertDelivery"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_redeliver: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDelivery"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_rules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                rule: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_put_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                rule: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRuleSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_delete_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                rule: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_silences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSilence"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_silence: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertSilenceSpec"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSilence"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_end_silence: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                silence: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    alerts_list: {
        parameters: {
            query?: {
                /** @description Only those of a job. */
                job?: string;
                /** @description Only those of a namespace. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAlert"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    bundles_apply: {
        parameters: {
            query?: {
                /** @description Checks everything, says what would change, and changes nothing. */
                dry_run?: boolean;
                /** @description Deletes jobs and calendars that the bundle lacks, in the namespaces it names, also those that it lists nothing of. */
                prune?: boolean;
            };
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bundle"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyResult"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_approvals: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Namespace; all when absent. */
                namespace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Approval"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                backfill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                backfill: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_items: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description State. */
                state?: components["schemas"]["BackfillItemState"];
            };
            header?: never;
            path: {
                backfill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_BackfillItem"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                backfill: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                backfill: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_retry_failed: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                backfill: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_cluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cluster"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_lateness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterLateness"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_shard_moves: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShardMove"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_drain: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Name or incarnation */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_undrain: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Name or incarnation */
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_shard_owners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShardOwner"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    cluster_dashboard: {
        parameters: {
            query?: {
                /**
                 * @description Namespace of the runs in counters and series, and of the jobs in `attention`, `next_hour` and `longest`; all when absent. Lateness, what is
                 *     queued or running now, and workers are of all namespaces.
                 */
                namespace?: string;
                /** @description How far back: `1h`, `6h`, `24h`, `7d`, `30d` or `90d`; `1h` when absent. */
                range?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    events_events: {
        parameters: {
            query?: {
                /** @description Job. */
                job?: string;
                /** @description Namespace. */
                namespace?: string;
                /** @description Run. */
                run?: string;
                /** @description Type (`run.failed`), or its first word with a star (`run.*`). */
                type?: string;
            };
            header?: {
                "Last-Event-ID"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    search_facets: {
        parameters: {
            query: {
                /** @description The field whose values are listed; when absent, the fields themselves. */
                field?: string;
                /** @description Namespace; all when absent. */
                namespace?: string;
                /** @description The list that is searched: `jobs` or `runs`. */
                page: string;
                /** @description What the values begin with, case ignored; all when absent. */
                prefix?: string;
                /** @description A query of jobs: only those that it finds are counted, also in fields whose words are known. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Facets"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_pools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowPool"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_set_pool: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                pool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowPoolSize"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowPool"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowSummary"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_info: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerInfo"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    labels_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelLimit"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    labels_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                label: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelSettings"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelLimit"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    labels_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                label: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_misfires: {
        parameters: {
            query?: {
                /** @description `misfire`, `catch_up_cap`, `overlap`, `queue_full`, `paused`, `changed` or `deleted`. */
                cause?: string;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Recorded at this instant or later; 24 hours ago when absent. */
                from?: components["schemas"]["Timestamp"];
                /** @description Job. */
                job?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Namespace; all when absent. */
                namespace?: string;
                /** @description `missed` or `suppressed`. */
                outcome?: string;
                /**
                 * @description The policy that let it pass: a misfire policy such as `do_nothing`, an overlap policy such as `skip`, `max_waiting` of a full
                 *     queue, or what somebody did: `edit`, `resume`, `delete`; `after` of a job that starts after another one.
                 */
                policy?: string;
                /** @description Recorded before this instant; now when absent. */
                to?: components["schemas"]["Timestamp"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Misfires"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    namespaces_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Namespace"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    namespaces_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    namespaces_put: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamespaceSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Namespace"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    namespaces_delete: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_list: {
        parameters: {
            query?: {
                /** @description Number of the backfill that they depend on and were started with. */
                cascade_of?: string;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Job. */
                job?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description State. */
                state?: components["schemas"]["BackfillState"];
            };
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    calendars_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Calendar"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    calendars_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                calendar: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    calendars_put: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                calendar: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CalendarSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    calendars_delete: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                calendar: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    bundles_check: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckRequest"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckResult"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    bundles_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bundle"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "components": [
                     *         {
                     *           "active": 0,
                     *           "blocked": "no_work",
                     *           "bulletins": [],
                     *           "bytes_in": 0,
                     *           "bytes_out": 0,
                     *           "items_in": 0,
                     *           "items_out": 0,
                     *           "kind": "log",
                     *           "missed": 0,
                     *           "name": "log",
                     *           "queued": 0,
                     *           "state": "stopped",
                     *           "task_ms": 0,
                     *           "tasks": 0,
                     *           "terminated": 0,
                     *           "why": "it is stopped: start it"
                     *         },
                     *         {
                     *           "active": 0,
                     *           "blocked": "downstream_full",
                     *           "bulletins": [
                     *             {
                     *               "at": "2026-03-29T10:00:00Z",
                     *               "level": "error",
                     *               "message": "it did not succeed"
                     *             }
                     *           ],
                     *           "bytes_in": 0,
                     *           "bytes_out": 800,
                     *           "items_in": 0,
                     *           "items_out": 100,
                     *           "kind": "generate",
                     *           "missed": 0,
                     *           "name": "order",
                     *           "queued": 0,
                     *           "state": "running",
                     *           "task_ms": 12,
                     *           "tasks": 100,
                     *           "terminated": 0,
                     *           "why": "a queue behind it is full"
                     *         }
                     *       ],
                     *       "connections": [
                     *         {
                     *           "bytes": 800,
                     *           "from": "order",
                     *           "full": true,
                     *           "in_flight": 0,
                     *           "items": 100,
                     *           "max_bytes": 1073741824,
                     *           "max_items": 100,
                     *           "name": "order:log",
                     *           "penalised": 0,
                     *           "percent": 100,
                     *           "ready": 100,
                     *           "relationships": [
                     *             "success"
                     *           ],
                     *           "to": "log"
                     *         }
                     *       ],
                     *       "name": "orders",
                     *       "namespace": "default",
                     *       "pools": [
                     *         {
                     *           "active": 0,
                     *           "name": "timer",
                     *           "size": 10
                     *         },
                     *         {
                     *           "active": 0,
                     *           "name": "event",
                     *           "size": 10
                     *         }
                     *       ],
                     *       "saved_at": "2026-03-29T10:00:00Z",
                     *       "spec": {
                     *         "components": {
                     *           "log": {
                     *             "end": "success",
                     *             "log": {}
                     *           },
                     *           "order": {
                     *             "generate": {
                     *               "payload": "3 apples"
                     *             },
                     *             "schedule": "2 sec"
                     *           }
                     *         },
                     *         "connections": [
                     *           {
                     *             "from": "order",
                     *             "max_items": 100,
                     *             "to": "log"
                     *           }
                     *         ],
                     *         "flow": "orders"
                     *       },
                     *       "version": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Flow"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_put: {
        parameters: {
            query?: {
                /**
                 * @description Stops the components that the edit touches and that run, waits 20 s for their bodies, and starts them again with the new
                 *     definition. When absent, they must be stopped before.
                 */
                restart?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flow"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_check: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowChecked"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_change: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowChange"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Flow"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_put_item: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                component: string;
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": number[];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": 1
                     *     }
                     */
                    "application/json": components["schemas"]["FlowPut"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_log: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                component: string;
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowLine"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_why: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                component: string;
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowComponent"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_file: {
        parameters: {
            query?: {
                /** @description `yaml`, `toml` or `json`; `yaml` when absent. */
                format?: string;
            };
            header?: never;
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_history: {
        parameters: {
            query?: {
                /** @description How many minutes back, 1 to 1,440; 1,440 when absent. */
                minutes?: number;
                /** @description The name of a component or connection: minutes then have what is known of this one. */
                of?: string;
            };
            header?: never;
            path: {
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "at": "2026-03-29T10:00:00Z",
                     *         "components": {
                     *           "order": {
                     *             "bytes_in": 0,
                     *             "bytes_out": 240,
                     *             "items_in": 0,
                     *             "items_out": 30,
                     *             "task_ms": 4,
                     *             "tasks": 30
                     *           }
                     *         },
                     *         "queues": {
                     *           "order:log": {
                     *             "bytes": 240,
                     *             "items": 30
                     *           }
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FlowMinute"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_item: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow: string;
                item: number;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attributes": {
                     *         "kind": "fruit"
                     *       },
                     *       "connection": "order:work",
                     *       "entered_at": "2026-03-29T10:00:00Z",
                     *       "id": 1795712345678000,
                     *       "in_flight": false,
                     *       "lineage_at": "2026-03-29T10:00:00Z",
                     *       "payload": "3 apples",
                     *       "payload_bytes": 8,
                     *       "retries": 0,
                     *       "truncated": false
                     *     }
                     */
                    "application/json": components["schemas"]["FlowItemContent"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_payload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow: string;
                item: number;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": number[];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_queue: {
        parameters: {
            query?: {
                /** @description `true` lists attributes and the begin of payloads, too; of 100 items at most. */
                contents?: boolean;
                /** @description This item only. */
                item?: number;
                /** @description How many at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                connection: string;
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "attributes": {
                     *           "kind": "fruit"
                     *         },
                     *         "bytes": 19,
                     *         "entered_at": "2026-03-29T10:00:00Z",
                     *         "id": 1795712345678000,
                     *         "penalty_until": "2026-03-29T10:00:30Z",
                     *         "preview": "3 apples",
                     *         "retries": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FlowItem"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_drop_items: {
        parameters: {
            query?: {
                /** @description `true` lists attributes and the begin of payloads, too; of 100 items at most. */
                contents?: boolean;
                /** @description This item only. */
                item?: number;
                /** @description How many at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                connection: string;
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowDropped"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    flows_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                connection: string;
                flow: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         1795712345678000
                 *       ],
                 *       "to": "order:work"
                 *     }
                 */
                "application/json": components["schemas"]["FlowReplay"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": 1
                     *     }
                     */
                    "application/json": components["schemas"]["FlowReplayed"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description `key=value`, or `key` for any value. */
                label?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Text within the name. */
                name?: string;
                /** @description Who answers for it; `*` stands for any characters. */
                owner?: string;
                /** @description Whether paused. */
                paused?: boolean;
                /** @description A query, such as `state:failing label:team=ops -queue:slow`: docs/reference/query-language.md. */
                q?: string;
                /** @description How many of its newest runs each job lists, 0 to 50; none when absent. */
                recent?: number;
                /**
                 * @description `name`, `next`, `last` or `updated`; with `-` in front the other way round. By namespace and name when absent. Others than `name`
                 *     need a query that finds at most 2,000 jobs.
                 */
                sort?: string;
            };
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Job"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_put: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_delete: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_patch: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": unknown;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_start: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackfillSpec"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    backfills_plan: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackfillSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillPlan"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_get_data: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobData"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_put_data: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobData"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_clear_data: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_file: {
        parameters: {
            query?: {
                /** @description `yaml`, `toml` or `json`; `yaml` when absent. */
                format?: string;
            };
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpec"];
                    "application/toml": string;
                    "application/yaml": string;
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlGlueVersion"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_set: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["XxlGlueChange"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlGlueVersion"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_add_history: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["XxlGlueHistory"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlGlueVersion"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlGlueVersion"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_roll_back: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                job: string;
                namespace: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["XxlGlueRollback"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlGlueVersion"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_graph: {
        parameters: {
            query?: {
                /** @description Version; the present one when absent. */
                version?: number;
            };
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobGraph"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_history: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Created at this instant or later. */
                from?: components["schemas"]["Timestamp"];
                /** @description Job. */
                job?: string;
                /** @description Label of the job or task, `key` or `key=value`. */
                label?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Run whose tasks and shards are asked for, with the runs that its tasks have started. */
                parent?: string;
                /**
                 * @description A query, such as `state:failed job:etl-* took>10m`: docs/reference/query-language.md. A page may have fewer runs than `limit`,
                 *     or none, and a `next_cursor`: then the search was stopped after a second, and goes on there.
                 */
                q?: string;
                /** @description State. */
                state?: components["schemas"]["RunState"];
                /** @description `true` also lists runs of tasks, which are left out otherwise. */
                tasks?: boolean;
                /** @description Created before this instant. */
                to?: components["schemas"]["Timestamp"];
            };
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_match_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobMatch"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_add: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PastRuns"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastRunsAdded"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_run: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunNow"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_versions: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_JobVersion"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobVersion"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    jobs_of_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Created at this instant or later. */
                from?: components["schemas"]["Timestamp"];
                /** @description Job. */
                job?: string;
                /** @description Label of the job or task, `key` or `key=value`. */
                label?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Run whose tasks and shards are asked for, with the runs that its tasks have started. */
                parent?: string;
                /**
                 * @description A query, such as `state:failed job:etl-* took>10m`: docs/reference/query-language.md. A page may have fewer runs than `limit`,
                 *     or none, and a `next_cursor`: then the search was stopped after a second, and goes on there.
                 */
                q?: string;
                /** @description State. */
                state?: components["schemas"]["RunState"];
                /** @description `true` also lists runs of tasks, which are left out otherwise. */
                tasks?: boolean;
                /** @description Created before this instant. */
                to?: components["schemas"]["Timestamp"];
            };
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Job. */
                job?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Whether paused itself. */
                paused?: boolean;
                /** @description State. */
                state?: components["schemas"]["TriggerState"];
            };
            header?: never;
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Trigger"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
                trigger: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_gaps: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description The instants, or the last ones of a range, are this one or later. */
                from?: components["schemas"]["Timestamp"];
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description The instants, or the first ones of a range, are before this one. */
                to?: components["schemas"]["Timestamp"];
            };
            header?: never;
            path: {
                job: string;
                namespace: string;
                trigger: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Gap"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
                trigger: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_reanchor: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
                trigger: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                job: string;
                namespace: string;
                trigger: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_of_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job: string;
                namespace: string;
                trigger: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    triggers_reanchor_all: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                namespace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reanchored"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    schedules_next: {
        parameters: {
            query?: {
                /** @description Job; all when absent. With it, several fire times of each trigger are listed. */
                job?: string;
                /** @description Fire times at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description Namespace; all when absent. */
                namespace?: string;
                /** @description Up to this instant; 24 h from now when absent. */
                until?: components["schemas"]["Timestamp"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextFire"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_nodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_document: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    operations_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Operation"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    operations_begin: {
        parameters: {
            query?: {
                /** @description Checks everything and changes nothing. */
                dry_run?: boolean;
            };
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationSpec"];
            };
        };
        responses: {
            /** @description A dry run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    operations_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    operations_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_put: {
        parameters: {
            query?: {
                /** @description Who asks, as the caller says, such as `ann@laptop`. The server notes it with pauses and cannot check it. */
                by?: string;
                /** @description The reason, in the user's words. */
                reason?: string;
            };
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueueSettings"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_changes: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_QueueChange"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_history: {
        parameters: {
            query?: {
                /** @description From here on; an hour before `to` when absent. At most 100 days back. */
                from?: components["schemas"]["Timestamp"];
                /**
                 * @description How long a point stands for, in milliseconds; as long as makes about a hundred points when absent. Made longer where it is not a
                 *     multiple of what is kept: minutes for 2 days, quarters of an hour for 8 days, three hours for 100 days.
                 */
                step_ms?: number;
                /** @description Up to here; now when absent. */
                to?: components["schemas"]["Timestamp"];
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueHistory"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_move_queue: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueueMove"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueMoved"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_preview: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueueSettings"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuePreview"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    queues_waiting: {
        parameters: {
            query?: {
                /** @description Runs that are shown, 0 to 100; 10 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                queue: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueWaiting"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_repair: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repaired"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_attempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempt"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_drop_run: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_read: {
        parameters: {
            query?: {
                /** @description Attempt; all when absent. */
                attempt?: number;
                /** @description Answers with an event stream that ends when the run is final. */
                follow?: boolean;
                /** @description First line; 1 when absent. */
                from_line?: number;
                /** @description Lines at most, 1 to 10,000; 1,000 when absent. Not with `follow`. */
                limit?: number;
                /** @description The last lines, this many, instead of `from_line`. */
                tail?: number;
            };
            header?: {
                "Last-Event-ID"?: string | null;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                    "text/event-stream": components["schemas"]["LogLine"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_errors: {
        parameters: {
            query?: {
                /** @description Attempt; when absent, the last one that failed, or else the last one. */
                attempt?: number;
            };
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogError"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_find: {
        parameters: {
            query: {
                /** @description Attempt; all when absent. */
                attempt?: number;
                /** @description Upper and lower case differ. */
                case?: boolean;
                /** @description First line; 1 when absent. */
                from_line?: number;
                /** @description Lines that are listed at most, 1 to 1,000; 100 when absent. More are counted. */
                limit?: number;
                /** @description The text, 1 to 512 characters. It is looked for line by line, in what a terminal would show: without escape sequences. */
                q: string;
                /**
                 * @description `q` is a regular expression: that of the Rust crate `regex`, without look-around and back references, in time that grows
                 *     with the log alone.
                 */
                regex?: boolean;
            };
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogFound"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_text: {
        parameters: {
            query?: {
                /** @description Attempt; all when absent. */
                attempt?: number;
            };
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_move_run: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunMove"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_output: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_place: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunPlace"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_rerun: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rerun"] | null;
            };
        };
        responses: {
            /** @description tasks run again in the run itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_start_cascade: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rerun"] | null;
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_plan_cascade: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rerun"] | null;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunPlan"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_plan: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rerun"] | null;
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunPlan"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_list_tasks: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Name of a task that runs more than once: its items, in place of the tasks of the run. */
                items_of?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
                /** @description State. */
                state?: components["schemas"]["TaskState"];
            };
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_RunTask"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_get_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTaskDetail"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_approve_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
                task: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTask"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_cancel_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
                task: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TaskCancel"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTask"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_mark_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
                task: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskMark"];
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTask"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_reject_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
                task: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTask"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_skip_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                run: string;
                task: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Reason"] | null;
            };
        };
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTask"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    runs_of_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    schedules_preview: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    session_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    session_sign_in: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Signed in */
            204: {
                headers: {
                    /** @description The session */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    session_sign_out: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    session_link: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginLink"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    stream_stream: {
        parameters: {
            query: {
                /** @description The id of the last event, for those who cannot send the header `Last-Event-ID`. */
                last_event_id?: string;
                /** @description Topics with commas between them: `runs`, `jobs`, `queues`, `workers`, `cluster`, `stats`, `flows`, `run:ID` (that run and its tasks), `job:NAMESPACE/NAME`, `flow:NAMESPACE/NAME`; at most 100. */
                topics: string;
            };
            header?: {
                "Last-Event-ID"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveChange"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    views_list: {
        parameters: {
            query?: {
                /** @description Only those of a page. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    views_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    views_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
                /** @description *: nothing must be there */
                "If-None-Match"?: string;
            };
            path: {
                view: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ViewSpec"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["View"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    views_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSpec"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_deliveries: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before. */
                cursor?: string;
                /** @description Items at most, 1 to 1,000; 100 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_WebhookDelivery"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_rotate: {
        parameters: {
            query?: {
                /** @description Also while the secret before the present one is still valid: it is not any more then. */
                force?: boolean;
            };
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    webhooks_test: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will be done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerToken"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_create_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkerTokenSpec"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerToken"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_revoke_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_join: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkerSpec"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerTerms"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_leave: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                worker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_drain: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                worker: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_poll: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                worker: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkerPoll"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerOrders"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_report: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                worker: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkerReport"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerReceipt"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    workers_undrain: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; a repetition under the same key gets the first answer again */
                "Idempotency-Key"?: string;
            };
            path: {
                worker: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Worker"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlApp"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["XxlAppSpec"];
            };
        };
        responses: {
            /** @description It was made */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlApp"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlApp"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_change: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["XxlAppChange"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlApp"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version in quotes that must be there, or * */
                "If-Match"?: string;
            };
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_rotate: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 128 visible ASCII characters; without effect here: a repetition is done as well */
                "Idempotency-Key"?: string;
            };
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["XxlTokenRotation"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlApp"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    xxl_instances: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["XxlInstance"][];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_livez: {
        parameters: {
            query?: {
                /** @description Lists the checks; `?verbose` alone does, too. */
                verbose?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The timer loop stands still */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    server_readyz: {
        parameters: {
            query?: {
                /** @description Lists the checks; `?verbose` alone does, too. */
                verbose?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Failing or draining */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Refused */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
}
