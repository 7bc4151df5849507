namespace muster {
extern const char placeholder_server_driver = 0;
}
