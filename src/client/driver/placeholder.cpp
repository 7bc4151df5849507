namespace muster {
extern const char placeholder_client_driver = 0;
}
