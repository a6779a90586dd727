"""Chinese texts: the queue of tasks and its workers."""

TEXT: dict[str, str] = {
    "error.queue-newer": "队列 {path} 由更新版本的 MI 建立（版本 {version}，当前只认识 {known}）；请升级 mi，或使用较新的那个",
    "error.queue-unusable": "无法使用队列 {path}：{reason}（其中没有工作成果：mi runs 会从日志列出所有运行；移走该文件后重新排队）",
    "error.same-task-open": "同样的任务已在队列中：{run_id}（mi queue list；mi queue cancel {run_id}）",
}
