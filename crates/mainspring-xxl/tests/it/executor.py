# An executor of pyxxl's: python executor.py ADMIN PORT FOLDER
import asyncio
import sys

from pyxxl import ExecutorConfig, PyxxlRunner
from pyxxl.ctx import g

admin, port, folder = sys.argv[1:]
runner = PyxxlRunner(
    ExecutorConfig(
        xxl_admin_baseurl=admin + "/xxl-job-admin/api/",
        executor_app_name="mail",
        access_token="secret",
        executor_listen_host="127.0.0.1",
        executor_listen_port=int(port),
        executor_log_path=folder + "/pyxxl.log",
        log_local_dir=folder + "/logs",
    )
)


@runner.register(name="shard")
async def shard():
    data = g.xxl_run_data
    return f"{data.executorParams}: {data.broadcastIndex} of {data.broadcastTotal}"


@runner.register(name="lines")
async def lines():
    for number in range(int(g.xxl_run_data.executorParams)):
        g.logger.info("line %d.", number)


@runner.register(name="sleep")
async def sleep():
    await asyncio.sleep(float(g.xxl_run_data.executorParams))


@runner.register(name="boom")
async def boom():
    raise ValueError("no luck")


runner.run_executor()
